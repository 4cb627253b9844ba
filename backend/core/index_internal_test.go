package core

import (
	"encoding/json"
	"slices"
	"testing"

	"keepsake/backend/core/library"
	"keepsake/backend/memory"
	"keepsake/backend/search"
)

// TestWhatOfAMessageIsSearched: what it says, the names of its attachments, and what
// tools were asked and answered, each by itself; of a message that says nothing there is no document.
func TestWhatOfAMessageIsSearched(t *testing.T) {
	said := &memory.Content{Type: "text", Text: "said"}
	c := &memory.Conversation{Messages: []memory.Message{
		{ID: "root"},
		{ID: "a", Content: said},
		{ID: "b", ToolCalls: []memory.ToolCall{{Name: "python", Input: json.RawMessage(`"print(\"hi\")"`)}, {Name: "find", Input: json.RawMessage(`{"query":"zebra"}`), Output: "found"}}},
		{ID: "c", Content: said, ToolCalls: []memory.ToolCall{{Name: "x", Output: "answer"}}},
		{ID: "d", Content: &memory.Content{Type: "multipart", Parts: []memory.Part{{Type: "image"}}}},
		{ID: "e", Attachments: []memory.Attachment{{Type: "file", Name: "tour.pdf"}, {Type: "image"}}},
	}}
	var got []search.Doc
	for doc := range library.DraftDocs(c) {
		got = append(got, doc)
	}
	want := []search.Doc{
		{Part: 1, Text: "said"},
		{Part: 2 | search.ToolCalls, Text: `print("hi")` + search.Break + `{"query":"zebra"}` + search.Break + "found"},
		{Part: 3, Text: "said" + search.Break + "answer"},
		{Part: 5, Text: "· tour.pdf"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}
