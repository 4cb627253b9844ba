package sillytavern_test

import (
	"strings"
	"testing"

	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/importer/sillytavern"
	"keepsake/backend/memory"
)

// TestSuite holds the reader to what all readers promise.
func TestSuite(t *testing.T) { RunLayers(t, sillytavern.Importer{}, CutLines, gen.SillyTavern()) }

// TestTimes: the forms that SillyTavern writes times in, and what is none.
func TestTimes(t *testing.T) {
	for written, want := range map[string]string{
		`"June 1, 2026 10:00am"`: "2026-06-01T10:00:00Z", `"June 1, 2026 10:00 PM"`: "2026-06-01T22:00:00Z", `"2026-06-01@10h00m05s"`: "2026-06-01T10:00:05Z", `"2026-6-1 @9h 8m 5s 12ms"`: "2026-06-01T09:08:05Z",
		`"2026-06-01T10:00:00.000+02:00"`: "2026-06-01T08:00:00Z", `1780308000000`: "2026-06-01T10:00:00Z", `"soon"`: "", `"2026-13-41@10h00m00s"`: "", `null`: "",
	} {
		r := Read(t, sillytavern.Importer{}, Loose("a.jsonl", `{"name":"Robin","is_user":true,"send_date":`+written+`,"mes":"Hi"}`).Tree(t))
		if got := r.Conversations[0].Messages[0].CreatedAt.String(); got != want {
			t.Errorf("%s is %s, want %s", written, got, want)
		}
	}
}

// TestBranchesAreOneConversation: the lines that a branch has in common with its chat are
// the same messages there.
func TestBranchesAreOneConversation(t *testing.T) {
	chats := gen.SillyTavern()
	both := Fixture{Files: append(chats[0].Files[:1:1], chats[1].Files...)}
	r := Read(t, sillytavern.Importer{}, both.Tree(t))
	if len(r.Conversations) != 2 || r.Conversations[0].ID != r.Conversations[1].ID {
		t.Fatalf("%+v", r.Conversations)
	}
	ids := map[string]string{}
	for _, m := range r.Conversations[0].Messages {
		ids[m.ID] = m.Content.PlainText()
	}
	same := 0
	for _, m := range r.Conversations[1].Messages {
		if text, ok := ids[m.ID]; ok && text == m.Content.PlainText() {
			same++
		}
	}
	if same != 3 { // two versions and the person's words
		t.Errorf("%d messages are the same", same)
	}
}

// TestVersions: what follows hangs below the version that is selected, and a text that is
// none of the versions is one more.
func TestVersions(t *testing.T) {
	r := Read(t, sillytavern.Importer{}, Loose("a.jsonl", `{"name":"Alice","is_user":false,"mes":"Edited.","swipes":["Hi.","Hello."],"swipe_id":1}`+"\n"+`{"name":"Robin","is_user":true,"mes":"Good day."}`+"\n").Tree(t))
	m := r.Conversations[0].Messages
	if len(m) != 4 || m[2].Content.PlainText() != "Edited." || m[3].ParentID != m[2].ID || m[3].Role != memory.User || m[0].ParentID != "" {
		t.Errorf("%+v", m)
	}
}

// TestTheSameSaidTwice: two lines that are alike are two messages.
func TestTheSameSaidTwice(t *testing.T) {
	row := `{"name":"Robin","is_user":true,"send_date":"June 1, 2026 10:00am","mes":"Hello?"}` + "\n"
	r := Read(t, sillytavern.Importer{}, Loose("a.jsonl", `{"user_name":"Robin","character_name":"Alice"}`+"\n"+row+row).Tree(t))
	if got := len(r.Conversations[0].Messages); got != 2 {
		t.Errorf("%d messages", got)
	}
}

// TestTooLargeChat: a chat that is more than is held of one.
func TestTooLargeChat(t *testing.T) {
	row := func(text string) string { return `{"name":"Robin","is_user":true,"mes":"` + text + `"}` + "\n" }
	CheckLimit(t, sillytavern.Importer{}, sillytavern.Holding(1000), "long.jsonl", strings.Repeat(row(strings.Repeat("x", 200)), 20), Loose("small.jsonl", row("said")))
}

func FuzzRead(f *testing.F) {
	for _, l := range gen.SillyTavern() {
		f.Add(l.Files[0].Data)
	}
	FuzzReader(f, sillytavern.Importer{}, "chat.jsonl")
}
