package pam_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
)

// sparse is a conversation with messages in which nothing is said: a root of two
// versions, one between two others, one that ends the active path, and one alone.
func sparse() *memory.Conversation {
	said := func(id, parent, words string, children ...string) memory.Message {
		m := memory.Message{ID: id, Role: memory.User, CreatedAt: day, ParentID: parent, ChildrenIDs: children, RawMetadata: memory.RawMetadata{"own": json.RawMessage(`1`)}}
		if words != "" {
			m.Content = &memory.Content{Type: "text", Text: words}
		}
		return m
	}
	return &memory.Conversation{ID: "c", Provider: memory.Provider{Name: "chatgpt"}, Temporal: memory.ConversationTemporal{CreatedAt: day}, Leaf: "end", Messages: []memory.Message{
		said("root", "", "", "one", "two"),
		said("one", "root", "One", "gap"),
		said("two", "root", "Two"),
		said("gap", "one", "", "end", "three"),
		said("three", "gap", "Three"),
		said("end", "gap", ""),
		said("alone", "", ""),
	}}
}

func written(t *testing.T, c *memory.Conversation) string {
	t.Helper()
	text, err := pam.EncodeConversation(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Promise (B7): a companion lists the messages in which something is said, as many as
// everything else counts, linked to each other; and read again it is the conversation as
// it was.
func TestEmptyMessagesAreNotListed(t *testing.T) {
	c := sparse()
	loose := sparse()
	loose.Messages[0].RawMetadata["own"] = json.RawMessage(`{"a":1,"a":2}`)
	sameDocument(t, c)
	sameDocument(t, loose)
	text := written(t, c)
	var doc struct {
		Messages []memory.Message `json:"messages"`
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	links := map[string]string{}
	for _, m := range doc.Messages {
		links[m.ID] = m.ParentID + " > " + strings.Join(m.ChildrenIDs, " ")
	}
	if want := map[string]string{"one": " > three", "two": " > ", "three": "one > "}; !maps.Equal(links, want) {
		t.Errorf("listed %v, want %v", links, want)
	}
	back, _, _, err := takenConversation(t, text)
	if err != nil || !reflect.DeepEqual(*c, back) {
		t.Errorf("%v: came back as %+v", err, back)
	}
}

// sameDocument: given message by message, it is written as the same text.
func sameDocument(t *testing.T, c *memory.Conversation) {
	t.Helper()
	long := *c
	long.Messages = nil
	var out strings.Builder
	if err := (pam.Talk{Conversation: &long, Long: each(c.Messages)}).Write(&out); err != nil || out.String() != written(t, c) {
		t.Errorf("%v: message by message it is another text", err)
	}
}

// A circle of empty messages ends, and a conversation of them alone has none.
func TestOnlyEmptyMessages(t *testing.T) {
	c := &memory.Conversation{ID: "c", Provider: memory.Provider{Name: "x"}, Temporal: memory.ConversationTemporal{CreatedAt: day}, Messages: []memory.Message{
		{ID: "a", Role: memory.User, CreatedAt: day, ParentID: "b", ChildrenIDs: []string{"b"}},
		{ID: "b", Role: memory.User, CreatedAt: day, ParentID: "a", ChildrenIDs: []string{"a", "said"}},
		{ID: "said", Role: memory.User, CreatedAt: day, ParentID: "b", Content: &memory.Content{Type: "text", Text: "x"}},
	}}
	back, _, _, err := takenConversation(t, written(t, c))
	if err != nil || !reflect.DeepEqual(*c, back) {
		t.Errorf("%v: came back as %+v", err, back)
	}
	c.Messages = c.Messages[:2]
	if text := written(t, c); !strings.Contains(text, `"messages":[]`) {
		t.Errorf("it is %s", text)
	}
}

// What a stranger puts in the place of empty messages is no message: not with words, not
// under the id of another, not out of order; it stays where it stood.
func TestForgedEmptyMessages(t *testing.T) {
	for name, list := range map[string]string{
		"words":        `[{"at":0,"message":{"id":"x","role":"user","content":{"type":"text","text":"I agree."}}}]`,
		"a file":       `[{"at":0,"message":{"id":"x","role":"user","attachments":[{"type":"image","ref":"attachments/abc"}]}}]`,
		"taken":        `[{"at":0,"message":{"id":"two","role":"user"}}]`,
		"twice":        `[{"at":0,"message":{"id":"x","role":"user"}},{"at":1,"message":{"id":"x","role":"user"}}]`,
		"nameless":     `[{"at":0,"message":{"role":"user"}}]`,
		"before":       `[{"at":-1,"message":{"id":"x","role":"user"}}]`,
		"behind":       `[{"at":4,"message":{"id":"x","role":"user"}}]`,
		"out of order": `[{"at":1,"message":{"id":"x","role":"user"}},{"at":0,"message":{"id":"y","role":"user"}}]`,
		"no list":      `{"at":0}`,
		"no number":    `[{"at":"0","message":{"id":"x","role":"user"}}]`,
	} {
		c := sparse()
		c.Messages = slices.DeleteFunc(c.Messages, func(m memory.Message) bool { return m.Content == nil })
		c.Leaf, c.RawMetadata = "", memory.RawMetadata{"keepsake_empty_messages": json.RawMessage(list)}
		back, _, _, err := takenConversation(t, written(t, c))
		if err != nil || len(back.Messages) != 3 || string(back.RawMetadata["keepsake_empty_messages"]) != list {
			t.Errorf("%s: %v, came back as %+v", name, err, back)
		}
	}
}
