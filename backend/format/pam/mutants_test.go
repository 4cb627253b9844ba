package pam_test

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
	"keepsake/backend/schema"
)

// fullConversation has every member of §25 set.
func fullConversation() *memory.Conversation {
	n, size := 3, int64(5)
	return &memory.Conversation{
		ID: "conv-1", Provider: memory.Provider{Name: "chatgpt", ConversationID: "c", AccountID: "a", ExportFormatVersion: "1"}, Title: "T",
		Participants: []memory.Participant{{Role: memory.User, Name: "N", ProviderID: "p"}}, Model: "m", SystemInstruction: "s", IsArchived: true, Tags: []string{"a"},
		Temporal: memory.ConversationTemporal{CreatedAt: day, UpdatedAt: day}, Leaf: "m2",
		ImportMetadata: &memory.ImportMetadata{Importer: "keepsake/0.1.0", ImporterVersion: "chatgpt/2026.07", ImportedAt: day, SourceFile: "x.zip",
			SourceChecksum: "sha256:0000000000000000000000000000000000000000000000000000000000000000"},
		RawMetadata: memory.RawMetadata{"x": json.RawMessage(`null`)},
		Messages: []memory.Message{
			{ID: "m1", ProviderMessageID: "p", Role: memory.User, CreatedAt: day, ChildrenIDs: []string{"m2"},
				Content: &memory.Content{Type: "multipart", Parts: []memory.Part{{Type: "code", Text: "t", Language: "go", MIMEType: "text/plain", Ref: "r"}}}},
			{ID: "m2", Role: memory.Assistant, CreatedAt: day, ParentID: "m1", Model: "m", IsThought: true, TokenCount: &n, Content: &memory.Content{Type: "text", Text: "t"},
				Attachments: []memory.Attachment{{Type: "image", Name: "n", MIMEType: "image/png", SizeBytes: &size, Ref: "r", ProviderID: "p"}},
				Citations:   []memory.Citation{{Title: "t", URL: "https://example.com", Snippet: "s"}},
				ToolCalls:   []memory.ToolCall{{ID: "i", Name: "n", Input: json.RawMessage(`{"a":1}`), Output: "o"}},
				RawMetadata: memory.RawMetadata{"y": json.RawMessage(`[1]`)}},
		},
	}
}

// mutations are put in every place of a document, beside taking it away.
var mutations = []any{
	nil, "", "a", "A", "a b", "-a", 0, -1, 1, 1.5, true, []any{}, map[string]any{}, []any{"a", "a"}, []any{""}, []any{nil}, []any{1},
	map[string]any{"x": 1}, "1.0", "1.0-rc1", "did:web:x", "a/1.0", "a/1.0.0", "pt-BR", "pt_BR", "zh-Hant-TW", "custom", "file", "json", "text", "read",
}

// writeMutants writes documents of each kind, every one with one change, and
// the verdict of our schemas.
func writeMutants(t *testing.T, path string, ours []byte) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	enc := json.NewEncoder(w)
	write := func(kind schema.Kind, document any) {
		raw, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		line := map[string]any{"kind": kind, "document": json.RawMessage(raw), "valid": len(compiled(t).Check(kind, raw)) == 0}
		if err := enc.Encode(line); err != nil {
			t.Fatal(err)
		}
	}
	for kind, text := range mutantSeeds(t, ours) {
		var document any
		if err := json.Unmarshal(text, &document); err != nil {
			t.Fatal(err)
		}
		write(kind, document)
		mutate(document, func() { write(kind, document) })
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
}

func mutantSeeds(t *testing.T, ours []byte) map[schema.Kind][]byte {
	t.Helper()
	var d map[string]any
	if err := json.Unmarshal(ours, &d); err != nil {
		t.Fatal(err)
	}
	d["memories"] = d["memories"].([]any)[:1]
	entry := d["conversations_index"].([]any)[0].(map[string]any)
	entry["storage"], entry["tags"], entry["derived_memories"] = map[string]any{"type": "file", "ref": "x", "format": "json"}, []any{"a"}, []any{"m"}
	d["relations"].([]any)[0].(map[string]any)["confidence"] = 0.5
	d["base_export_id"], d["since"], d["type_registry"] = nil, day.String(), "https://example.com"
	m := mem(d, 0)
	m["custom_type"], m["embedding_ref"] = nil, "e"
	store, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	conversation, err := pam.EncodeConversation(fullConversation())
	if err != nil {
		t.Fatal(err)
	}
	return map[schema.Kind][]byte{schema.MemoryStore: store, schema.Conversation: conversation, schema.Embeddings: []byte(embeddings)}
}

// mutate calls try after each single change of v.
func mutate(v any, try func()) {
	switch node := v.(type) {
	case map[string]any:
		for _, name := range sortedNames(node) {
			value := node[name]
			for _, m := range mutations {
				node[name] = m
				try()
			}
			delete(node, name)
			try()
			node[name] = value
			mutate(value, try)
		}
		node["zz"] = 1
		try()
		delete(node, "zz")
	case []any:
		for i, value := range node {
			for _, m := range mutations {
				node[i] = m
				try()
			}
			node[i] = value
			mutate(value, try)
		}
	}
}
