package core_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"keepsake/backend/core"
)

// TestLoneConversationDocuments: a conversation document of Portable AI Memory is read without
// its bundle. It has no signature of its own, so it changes nothing in the vault.
func TestLoneConversationDocuments(t *testing.T) {
	k, there := provider(t), provider(t)
	k.imports(k.file("rare.json", []byte(rarities)))
	out, _ := k.export("out/", core.ExportOptions{IncludeConversations: true})
	paths := ok(filepath.Glob(filepath.Join(out.Path, "conversations", "*.json")))
	if len(paths) != 1 {
		t.Fatal(paths)
	}
	text := ok(os.ReadFile(paths[0]))
	path := there.file("conversation.json", text)
	plan := ok(there.PlanImport(ctx, inputs(path), core.ImportOptions{}))
	if s := plan.Sources[0]; s.Provider != "pam" || s.New != 1 || s.Fault != nil {
		t.Errorf("the plan has %+v", s)
	}
	r := there.imports(path)
	if r.State != "done" || r.Conversations.New != 1 || len(r.Problems)+len(r.Unknown) != 0 {
		t.Fatalf("%+v", r)
	}
	if r = there.imports(path); r.Conversations.New+r.Conversations.Updated != 0 {
		t.Errorf("again: %+v", r.Conversations)
	}
	other := bytes.Replace(text, []byte("In Portugal."), []byte("In Spain."), 1)
	other = bytes.ReplaceAll(other, []byte("2024-07-02"), []byte("2025-07-02"))
	if r = there.imports(there.file("other.json", other)); r.Conversations.Updated != 0 {
		t.Errorf("a file that nobody signed replaced a conversation: %+v", r.Conversations)
	}
	folder := filepath.Join(out.Path, "conversations")
	if r = provider(t).imports(folder); r.Conversations.New != 1 {
		t.Errorf("the folder: %+v", r)
	}
	if _, err := there.Compare(ctx, core.Input{Path: path}, nil, nil); err == nil {
		t.Errorf("it is compared as a memory store: %v", err)
	}
}
