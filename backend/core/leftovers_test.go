package core_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"keepsake/backend/core"
	"keepsake/backend/importer/importertest/gen"
)

const (
	claudeCodeLine = `{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"11111111-2222-4333-8444-555555555555","timestamp":"2026-06-01T10:00:00Z","cwd":"/p","message":{"role":"user","content":"Draw the shop sign."}}`
	graphLine      = `{"type":"entity","name":"Pat","entityType":"person","observations":["Pat keeps bees."]}`
	workspaceChats = `[{"id":1,"prompt":"Fix the tests","response":"Done.","workspace":"home"}]`
)

// TestField32DownloadsOfSeveralProviders drops a folder of downloads: every export in it is read, by the reader of
// each, and what is none is named.
func TestField32DownloadsOfSeveralProviders(t *testing.T) {
	k := provider(t)
	chat, _ := gen.ChatGPT(gen.ChatGPTOptions{Seed: 1, Era: gen.Single, Conversations: 2})
	table, _ := gen.Copilot(1, 3, "a")
	k.file("downloads/chatgpt-export.zip", chat)
	k.file("downloads/copilot.zip", gen.Zip([]gen.File{{Name: "activity.csv", Data: table}}))
	k.file("downloads/memory.jsonl", []byte(graphLine+"\n"))
	k.file("downloads/invoice.txt", []byte("Four chairs"))
	k.file("downloads/photos.zip", gen.Zip([]gen.File{{Name: "a.txt", Data: []byte("x")}}))
	folder := filepath.Join(k.root, "downloads")

	plan := ok(k.PlanImport(ctx, inputs(folder), core.ImportOptions{}))
	var read []string
	for _, s := range plan.Sources {
		read = append(read, s.Provider)
	}
	if slices.Sort(read); !slices.Equal(read, []string{"chatgpt", "copilot", "mcp-memory"}) {
		t.Errorf("the plan has %v", read)
	}
	r := k.imports(folder)
	if r.State != "done" || r.Conversations.New < 3 || r.Ledger[len(r.Ledger)-1].Taken != 1 {
		t.Errorf("%s, %+v, %+v, %+v", r.State, r.Conversations, r.Ledger, r.Problems)
	}
	others(t, r, "invoice.txt", "photos.zip")
}

// TestField72SessionsAndInstructions drops a folder of two programs' files: the sessions and the instructions in
// it are read in one import, and taken back as one.
func TestField72SessionsAndInstructions(t *testing.T) {
	k := provider(t)
	k.file("home/projects/-p/11111111-2222-4333-8444-555555555555.jsonl", []byte(claudeCodeLine+"\n"))
	k.file("home/CLAUDE.md", []byte("- Answer in short sentences.\n"))
	k.file("home/settings.local", []byte("x"))
	folder := filepath.Join(k.root, "home")
	if plan := ok(k.PlanImport(ctx, inputs(folder), core.ImportOptions{})); len(plan.Sources) != 2 || plan.Sources[0].New != 1 || plan.Sources[1].Memories != 1 {
		t.Errorf("the plan has %+v", plan.Sources)
	}
	r := k.imports(folder)
	if r.State != "done" || r.Conversations.New != 1 || r.Memories.New != 1 || len(r.Problems) != 0 {
		t.Errorf("%s, %+v, %+v, %+v", r.State, r.Conversations, r.Memories, r.Problems)
	}
	others(t, r, "settings.local")
	ok(k.UndoImport(ctx, r.ImportID))
	if state := ok(k.VaultState(ctx)); state.Conversations+state.Memories != 0 {
		t.Errorf("%d conversations and %d memories after it was taken back", state.Conversations, state.Memories)
	}
}

// TestOtherFilesAreNamed: of the files that nothing was read of those come first that look
// like something.
func TestOtherFilesAreNamed(t *testing.T) {
	k := provider(t)
	k.file("home/projects/-p/11111111-2222-4333-8444-555555555555.jsonl", []byte(claudeCodeLine+"\n"))
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		k.file("home/"+name+".log", []byte("x"))
	}
	k.file("home/chats/1/chats.json", []byte(workspaceChats))
	r := k.imports(filepath.Join(k.root, "home"))
	if len(r.OtherFiles) != 5 || r.OtherFiles[0].Path != "chats/1/chats.json" || !strings.Contains(r.OtherFiles[0].LooksLike, "AnythingLLM") ||
		r.OtherFiles[1] != (core.OtherFile{Path: "a.log", Size: 1}) || r.Ledger[0].Skipped["other-file"] != 7 {
		t.Errorf("%+v, %+v", r.OtherFiles, r.Ledger)
	}
}

// others holds that nothing was read of those files, and that the ledger counts them.
func others(t *testing.T, r core.ImportReport, paths ...string) {
	t.Helper()
	var named []string
	for _, f := range r.OtherFiles {
		named = append(named, f.Path)
	}
	counted := 0
	for _, row := range r.Ledger {
		counted += row.Skipped["other-file"]
	}
	if slices.Sort(named); !slices.Equal(named, paths) || counted != len(paths) {
		t.Errorf("named are %v, %d counted; want %v", named, counted, paths)
	}
}
