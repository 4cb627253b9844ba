package importer_test

import (
	"maps"
	"testing"

	"keepsake/backend/importer"
	"keepsake/backend/memory"
)

func TestAnswersWithoutText(t *testing.T) {
	parts := func(p memory.Part) *memory.Content {
		return &memory.Content{Type: "multipart", Parts: []memory.Part{p}}
	}
	raw := memory.RawMetadata{"metadata": []byte(`{}`)}
	messages := []memory.Message{
		{Role: memory.Assistant, Content: importer.Words("said"), RawMetadata: raw},
		{Role: memory.Assistant, Content: parts(memory.Part{Type: "code", Text: "x"})},
		{Role: memory.User}, {Role: memory.Tool, RawMetadata: raw}, {Role: memory.System, RawMetadata: raw},
		{Role: memory.Assistant, Content: importer.Words(" \n"), ToolCalls: []memory.ToolCall{{Name: "f"}}, RawMetadata: raw},
		{Role: memory.Assistant, IsThought: true, RawMetadata: raw},
		{Role: memory.Assistant, Content: parts(memory.Part{Type: "image", Ref: "r"}), RawMetadata: raw},
		{Role: memory.Assistant, Attachments: []memory.Attachment{{Type: "audio"}}},
		{Role: memory.Assistant, Attachments: []memory.Attachment{{Type: "document"}}},
		{Role: memory.Assistant, Citations: []memory.Citation{{Title: "a"}}, RawMetadata: raw},
		{Role: memory.Assistant, RawMetadata: raw}, {Role: memory.Assistant, RawMetadata: raw},
		{Role: memory.Assistant},
	}
	want := map[string]int{"call": 1, "thought": 1, "image": 1, "audio": 1, "file": 1, "source": 1, "metadata": 2, "nothing": 1}
	if got := importer.AnswersWithoutText(messages); !maps.Equal(got, want) {
		t.Errorf("%v", got)
	}
}
