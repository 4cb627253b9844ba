package librechat_test

import (
	"fmt"
	"strings"
	"testing"

	"keepsake/backend/importer"
	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/importer/librechat"
)

// TestSuite holds the reader to what all readers promise.
func TestSuite(t *testing.T) { RunLayers(t, librechat.Importer{}, CutJSON, gen.LibreChat()) }

// TestManyQuestions: each answer comes right below its question, however many questions
// there are.
func TestManyQuestions(t *testing.T) {
	const all = 200_000 // quadratic work would take minutes
	var list []string
	for i := range all {
		list = append(list, fmt.Sprintf(`{"messageId":"q%d","isCreatedByUser":true,"text":"x","children":[{"messageId":"a%d","text":"y"},{"messageId":"b%d","text":"z"}]}`, i, i, i))
	}
	r := Read(t, librechat.Importer{}, Loose("chat.json", `{"conversationId":"c","exportAt":"x","messages":[`+strings.Join(list, ",")+"]}").Tree(t))
	if len(r.Conversations) != 1 || len(r.Conversations[0].Messages) != 3*all {
		t.Fatalf("%d conversations", len(r.Conversations))
	}
	for i, m := range r.Conversations[0].Messages {
		if want := fmt.Sprint([]string{"q", "a", "b"}[i%3], i/3); m.ID != want {
			t.Fatalf("message %d is %s, want %s", i, m.ID, want)
		}
	}
}

// deep is a conversation of messages inside each other, its list under that name, with
// more in the innermost one.
func deep(list string, messages int, more string) string {
	var b strings.Builder
	b.WriteString(`{"conversationId":"deep","exportAt":"x","recursive":true,"` + list + `":[`)
	for i := range messages {
		fmt.Fprintf(&b, `{"messageId":"m%d","isCreatedByUser":%v,"text":"Text %d.","sender":"s%d","children":[`, i, i%2 == 0, i, i)
	}
	b.WriteString("]" + more + "}" + strings.Repeat("]}", messages-1) + "]}")
	return b.String()
}

// TestDeepChats: where each answer stands inside the message before it, a long chat
// arrives whole, in order and with its parents.
func TestDeepChats(t *testing.T) {
	for _, list := range []string{"messages", "messagesTree"} {
		const all = 20_000
		fixture := Loose("chat.json", deep(list, all, ""))
		if m, err := (librechat.Importer{}).Sniff(t.Context(), fixture.Tree(t)); err != nil || m.Certainty != importer.Certain || m.Format != "nested" {
			t.Errorf("%s: %+v, %v", list, m, err)
		}
		r := Read(t, librechat.Importer{}, fixture.Tree(t))
		if len(r.Conversations) != 1 || len(r.Conversations[0].Messages) != all || len(r.Problems) > 0 {
			t.Fatalf("%s: %d conversations, %+v", list, len(r.Conversations), r.Problems)
		}
		parent := ""
		for i, m := range r.Conversations[0].Messages {
			if m.ID != fmt.Sprint("m", i) || m.ParentID != parent || m.Content.Text != fmt.Sprintf("Text %d.", i) || string(m.RawMetadata["sender"]) != fmt.Sprintf(`"s%d"`, i) {
				t.Fatalf("%s: message %d is %+v", list, i, m)
			}
			parent = m.ID
		}
		if got := r.Conversations[0].Leaf; got != parent {
			t.Errorf("%s: the leaf is %s", list, got)
		}
	}
}

// TestTooDeepChats: one that is deeper than that is told of in one sentence, and so is
// what is deep in another way; the others are read.
func TestTooDeepChats(t *testing.T) {
	for _, c := range []struct{ text, reason string }{
		{deep("messages", 20_100, ""), "item-nested-too-deep"},
		{deep("messages", 100, `,"x":`+strings.Repeat("[", 128)+strings.Repeat("]", 128)), "item-too-deep"},
		{deep("messages", 100, `,"text":"y"`), "item-deep-doubled"},
	} {
		files := []gen.File{{Name: "a.json", Data: []byte(c.text)}, {Name: "b.json", Data: []byte(`{"conversationId":"b","messages":[{"messageId":"m","text":"x"}]}`)}}
		r := Read(t, librechat.Importer{}, Fixture{Name: "chats", Files: files}.Tree(t))
		if len(r.Conversations) != 1 || len(r.Problems) != 1 || r.Problems[0].Reason != c.reason || r.Problems[0].Path != "a.json" {
			t.Errorf("%d conversations, %+v, want %s", len(r.Conversations), r.Problems, c.reason)
		}
	}
}

// TestStrangersAmongMessages: what is no message is counted and kept.
func TestStrangersAmongMessages(t *testing.T) {
	r := Read(t, librechat.Importer{}, Loose("chat.json", `{"conversationId":"c","messages":[{"messageId":"a","text":"x","children":["y",{"messageId":"b","text":"z"},null]},null],"messagesTree":{"z":1}}`).Tree(t))
	if len(r.Conversations) != 1 || len(r.Conversations[0].Messages) != 2 || r.Unknown["record:children"] != 1 || r.Unknown["record:messagesTree"] != 1 {
		t.Fatalf("%+v", r)
	}
	c := r.Conversations[0]
	if got := string(c.Messages[0].RawMetadata["children"]); got != `["y",{},null]` {
		t.Errorf("kept %s", got)
	}
	if got := string(c.RawMetadata["messagesTree"]); got != `{"z":1}` || len(c.RawMetadata["messages"]) > 0 {
		t.Errorf("kept %s", got)
	}
}

func FuzzRead(f *testing.F) {
	for _, l := range gen.LibreChat() {
		f.Add(l.Files[0].Data)
	}
	FuzzReader(f, librechat.Importer{}, "chat.json")
}
