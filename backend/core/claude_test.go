package core_test

import (
	"testing"

	"keepsake/backend/core"
	"keepsake/backend/importer"
	"keepsake/backend/importer/importertest/gen"
)

// TestClaudeExports takes the whole way with every packing of a Claude export:
// import, import again, a newer export, undo, export, verify.
func TestClaudeExports(t *testing.T) {
	for _, layout := range []gen.Layout{gen.OneZip, gen.Batches, gen.Parts} {
		t.Run(string(layout), func(t *testing.T) {
			k := provider(t)
			o := gen.ClaudeOptions{Seed: 9}
			r, truth := k.claude(layout, o, "")
			const projects = 1 // each is kept as a conversation with its documents
			if r.Conversations.New != len(truth.Conversations)+projects || r.Attachments.Stored != truth.Attachments || r.Attachments.Missing != truth.Missing {
				t.Fatalf("report: %+v, want %d conversations, %d attachments, %d missing", r, len(truth.Conversations), truth.Attachments, truth.Missing)
			}
			k.remembers(truth)
			first := k.state()
			again, _ := k.claude(layout, o, "again-")
			if now := k.state(); now.Generation > first.Generation+1 || again.Memories.New+again.Memories.Updated+again.Memories.Merged+again.Conversations.New+again.Conversations.Updated != 0 {
				t.Errorf("the second import changed something: %+v", again)
			}
			o.Later = true
			later, truth := k.claude(layout, o, "later-")
			if later.Conversations.New != 0 || later.Conversations.Updated != len(truth.Conversations) {
				t.Errorf("the newer export: %+v", later)
			}
			k.remembers(truth)
			k.leaves()
			ok(k.Undo(ctx))
			if now := k.state(); now.Messages != first.Messages || now.Memories != first.Memories {
				t.Errorf("undo: %+v, want %+v", now, first)
			}
			k.leaves()
		})
	}
}

// claude imports all files of a generated export together.
func (k *kit) claude(layout gen.Layout, o gen.ClaudeOptions, prefix string) (core.ImportReport, gen.Truth) {
	k.t.Helper()
	files, truth := gen.ClaudeZips(layout, o)
	var paths []string
	for _, f := range files {
		paths = append(paths, k.file(prefix+f.Name, f.Data))
	}
	return k.imports(paths...), truth
}

// remembers compares the vault with what was planted in a Claude export.
func (k *kit) remembers(truth gen.Truth) {
	k.t.Helper()
	for _, content := range truth.Contents() {
		k.saying(content)
	}
	if have := len(k.memories(core.MemoryQuery{})); have != len(truth.Contents()) {
		k.t.Errorf("%d memories, planted %d", have, len(truth.Contents()))
	}
	for _, talk := range truth.Conversations {
		th, err := k.Thread(ctx, importer.ConversationID("claude", talk.ID), "", 0, 0)
		if err != nil || th.Leaf != talk.Leaf || th.Total < len(talk.Path) {
			k.t.Errorf("thread of %s: %d messages to %s, %v", talk.ID, th.Total, th.Leaf, err)
		}
	}
}
