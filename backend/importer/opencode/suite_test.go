package opencode_test

import (
	"strings"
	"testing"

	"keepsake/backend/importer"
	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/importer/opencode"
	"keepsake/backend/memory"
)

// TestSuite holds the reader to what all readers promise.
func TestSuite(t *testing.T) { RunLayers(t, opencode.Importer{}, CutJSON, gen.OpenCode()) }

// TestBothFormsAreOneSession: what is exported and what lies in the folder reads the same.
func TestBothFormsAreOneSession(t *testing.T) {
	var texts []string
	for _, l := range gen.OpenCode() {
		r := Read(t, opencode.Importer{}, LayerFixture(l, CutJSON).Tree(t))
		var said []string
		for _, m := range r.Conversations[0].Messages {
			said = append(said, m.ID+" "+string(m.Role)+": "+m.Content.PlainText())
		}
		texts = append(texts, r.Conversations[0].ID+"\n"+strings.Join(said, "\n"))
	}
	for _, text := range texts[1:] {
		if text != texts[0] {
			t.Errorf("%s\nand\n%s", texts[0], text)
		}
	}
}

// TestKeysStayOut: keys that lie in the same folder are not read.
func TestKeysStayOut(t *testing.T) {
	CheckSecret(t, opencode.Importer{}, gen.OpenCode(), gen.OpenCodeSecret)
}

// TestField73StatusLine: output that was redirected whole begins with a line that is no
// JSON.
func TestField73StatusLine(t *testing.T) {
	for _, between := range []string{"", "\n", "\r\n"} {
		text := "Exporting session: ses_1" + between + `{"info": {"id": "ses_1", "title": "x", "time": {"created": 1}}, "messages": [◆]}` + "\n"
		r := Read(t, opencode.Importer{}, Loose("session.json", strings.Replace(text, "◆", "", 1)).Tree(t))
		if len(r.Conversations) != 0 || r.Skipped[importer.EmptyConversation] != 1 || len(r.Problems) > 0 {
			t.Errorf("%q: %+v", between, r)
		}
		r = Read(t, opencode.Importer{}, Loose("session.json", strings.Replace(text, "◆", `{"info":{"id":"msg_1","role":"user"},"parts":[{"type":"text","text":"Hi"}]}`, 1)).Tree(t))
		if len(r.Conversations) != 1 || r.Conversations[0].Messages[0].Content.PlainText() != "Hi" {
			t.Errorf("%q: %+v", between, r)
		}
	}
}

// TestTooLargeSession: one of more files than is held of a session is left out, and the
// next is read.
func TestTooLargeSession(t *testing.T) {
	file := func(name, text string) gen.File { return gen.File{Name: name, Data: []byte(text)} }
	long := `{"id":"msg_a","sessionID":"ses_a","role":"user","time":{"created":1771564410206}}`
	files := []gen.File{file("session/p/ses_a.json", `{"id":"ses_a","projectID":"p"}`), file("message/ses_a/msg_a.json", long),
		file("part/msg_a/prt_a.json", `{"id":"prt_a","messageID":"msg_a","type":"text","text":"`+strings.Repeat("x", 2000)+`"}`),
		file("session/p/ses_b.json", `{"id":"ses_b","projectID":"p"}`), file("message/ses_b/msg_b.json", strings.ReplaceAll(long, "_a", "_b")),
		file("part/msg_b/prt_b.json", `{"id":"prt_b","messageID":"msg_b","type":"text","text":"said"}`)}
	f := Fixture{Files: []gen.File{{Name: "storage.zip", Data: gen.Zip(files)}}}
	r := Read(t, opencode.Holding(1000), f.Tree(t))
	if len(r.Conversations) != 1 || r.Conversations[0].Provider.ConversationID != "ses_b" || len(r.Problems) != 1 || r.Problems[0].Reason != "item-too-large" {
		t.Errorf("%+v, %+v", r.Conversations, r.Problems)
	}
	if all := Read(t, opencode.Importer{}, f.Tree(t)); len(all.Conversations) != 2 || len(all.Problems) > 0 {
		t.Errorf("%d conversations, %+v", len(all.Conversations), all.Problems)
	}
}

// TestPiecesOfTheFolder: messages whose session has no file are a conversation, and parts
// without their message are counted.
func TestPiecesOfTheFolder(t *testing.T) {
	file := func(name, text string) gen.File { return gen.File{Name: name, Data: []byte(text)} }
	r := Read(t, opencode.Importer{}, Fixture{Files: []gen.File{{Name: "storage.zip", Data: gen.Zip([]gen.File{
		file("session/message/ses_a/msg_b.json", `{"id":"msg_b","sessionID":"ses_a","role":"assistant","time":{"created":1771564410300}}`),
		file("session/message/ses_a/msg_c.json", `{"id":"msg_c","sessionID":"ses_a","role":"user","time":{"created":1771564410200}}`),
		file("session/part/ses_a/msg_b/prt_1.json", `{"id":"prt_1","type":"text","text":"Hello"}`),
		file("session/part/ses_a/msg_c/prt_2.json", `{"id":"prt_2","type":"text","text":"Hi"}`),
		file("session/part/ses_a/msg_gone/prt_3.json", `{"id":"prt_3","type":"text","text":"lost"}`)})}}}.Tree(t))
	if len(r.Conversations) != 1 || r.Skipped["part-without-message"] != 1 {
		t.Fatalf("%+v, %v", r.Conversations, r.Skipped)
	}
	m := r.Conversations[0].Messages
	if len(m) != 2 || m[0].Content.PlainText() != "Hi" || m[0].Role != memory.User || m[1].Content.PlainText() != "Hello" {
		t.Errorf("%+v", m)
	}
}

func FuzzRead(f *testing.F) {
	for _, l := range gen.OpenCode() {
		f.Add(l.Files[0].Data)
	}
	FuzzReader(f, opencode.Importer{}, "session.json")
}
