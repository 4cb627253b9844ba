package core_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"keepsake/backend/core"
	"keepsake/backend/memory"
	"keepsake/backend/seal"
	"keepsake/backend/vault/vaulttest"
)

// Of the documents below: what is forgotten, by id and words, and what stays.
const (
	goneID    = "0b0b0b0b-1111-4222-8333-00000000cafe"
	goneWords = "Robin hides the heliotrope in the attic"
	staysID   = "0a0a0a0a-1111-4222-8333-00000000beef"
	otherID   = "0d0d0d0d-1111-4222-8333-00000000dead"
)

// naming is a document that names the forgotten wherever one can: in edges to
// memories and to what is none, with and without times, in nodes, entities,
// tasks, settings, and in members that nobody
// knows. said is why one memory follows from another.
func naming(withGone bool, said string) []byte {
	memories := []any{
		map[string]any{"id": "mem_" + staysID, "content": "Robin has a house", "type": "Observation", "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-02T00:00:00Z"},
		map[string]any{"id": "mem_" + otherID, "content": "Robin has a garden", "type": "Observation", "created_at": "2026-01-01T00:00:00Z"},
	}
	if withGone {
		memories = append(memories, map[string]any{"id": "mem_" + goneID, "content": goneWords, "type": "Observation", "created_at": "2026-01-01T00:00:00Z"})
	}
	gone, stays := "mem_"+goneID, "mem_"+staysID
	edge := func(source, target, kind string) map[string]any {
		return map[string]any{"source": source, "target": target, "type": kind, "weight": 0.5}
	}
	dated := edge(gone, stays, "causal")
	dated["created_at"] = "2026-01-01T00:00:00Z"
	reason := edge(stays, "mem_"+otherID, "causal")
	reason["created_at"], reason["metadata"] = "2026-01-01T00:00:00Z", map[string]any{"because": []any{said, "it rained"}}
	text, err := json.Marshal(map[string]any{
		"mif_version": "1.0", "memories": memories,
		"graph": map[string]any{
			"edges": []any{
				dated, reason, edge(gone, stays, "semantic"), edge(stays, gone, "user_linked"), edge("entity_house", gone, "causal"), edge(gone, "entity_attic", "causal"),
				edge("entity_house", "entity_attic", "causal"), edge("no memory", gone, "odd"), map[string]any{"source": 7, "target": gone},
			},
			"nodes":          []any{map[string]any{"id": gone, "label": "attic"}, map[string]any{"id": "n2", "label": goneWords}, map[string]any{"id": stays, "label": "house"}},
			"hebbian_config": map[string]any{"rate": 0.1, "last": gone},
		},
		"knowledge_graph": map[string]any{"entities": []any{map[string]any{"name": "Attic", "memory_ids": []any{gone, stays}}}},
		"todos": []any{map[string]any{"id": "todo_" + otherID, "content": "Paint the house", "status": "todo", "created_at": "2026-01-01T00:00:00Z",
			"related_memory_ids": []any{gone, stays}, "blocked_by": gone}},
		"mood": map[string]any{"calm": true, gone: "by name"},
	})
	if err != nil {
		panic(err)
	}
	return text
}

// Promise: forgetting a memory takes along everything that names it or says it:
// edges to memories and to anything else, kept with whom or with what document
// they may be, undo of all that, drafts, what it replaced. What does not name it
// stays; an import does not bring any of it back; the import is undone whole.
func TestForgettingLeavesNoName(t *testing.T) {
	k := bare(t, seal.Plaintext)
	ok(k.CreateVault(ctx, passphrase, "test"))
	k.take("before.mif.json", naming(false, goneWords), core.ImportOptions{}) // names it before it is there
	report := k.take("in.mif.json", naming(true, "he said: "+goneWords), core.ImportOptions{})
	ok(k.SetStatus(ctx, staysID, memory.Superseded, goneID))
	if err := k.KeepDraft(ctx, core.Draft{MemoryID: goneID, Content: goneWords + " in spring"}); err != nil {
		t.Fatal(err)
	}
	k.reopen() // seals the draft
	if err := k.SettleCopies(ctx); err != nil {
		t.Fatal(err)
	}
	words := []string{goneID, strings.ReplaceAll(goneID, "-", ""), goneWords}
	if held := ok(vaulttest.Scan(words, k.cfg.VaultDir)); len(held[goneID]) == 0 || len(held[goneWords]) == 0 {
		t.Fatalf("the control: %v", held)
	}
	_, before := k.mif("before.out.json", core.MIFOptions{ExportOptions: plain})
	if n := strings.Count(string(before), goneID); n < 15 {
		t.Fatalf("the control: %d names leave: %s", n, before)
	}

	receipt := ok(k.Forget(ctx, []string{goneID}, nil))
	if !receipt.Erased || receipt.Memories != 1 {
		t.Errorf("%+v", receipt)
	}
	nowhere := func(when string) {
		t.Helper()
		for word, places := range ok(vaulttest.Scan(words, k.cfg.VaultDir)) {
			if len(places) > 0 {
				t.Errorf("%s: %q is still in %v", when, word, places)
			}
		}
	}
	nowhere("after it")
	if drafts := ok(k.Drafts(ctx)); len(drafts) > 0 {
		t.Errorf("drafts: %+v", drafts)
	}
	stays := func(when string) {
		t.Helper()
		_, out := k.mif(fmt.Sprintf("%s.json", strings.ReplaceAll(when, " ", "-")), core.MIFOptions{ExportOptions: plain})
		for _, want := range []string{`"entity_house"`, `"it rained"`, `"label":"house"`, `"rate":0.1`, `"Attic"`, `"calm":true`, "Paint the house", "Robin has a house"} {
			if !strings.Contains(string(out), want) {
				t.Errorf("%s: %s does not leave: %s", when, want, out)
			}
		}
		for _, word := range append(words, "by name", `"label":"attic"`) {
			if strings.Contains(string(out), word) {
				t.Errorf("%s: %s leaves: %s", when, word, out)
			}
		}
	}
	stays("after it")
	again := k.take("again.mif.json", naming(true, goneWords), core.ImportOptions{})
	if again.Memories.New != 0 || again.Ledger[0].Skipped["forgotten"] == 0 {
		t.Errorf("%+v", again)
	}
	stays("read again")
	nowhere("read again")
	k.later(time.Hour)
	done := ok(k.UndoImport(ctx, report.ImportID))
	if done.Kept != 0 {
		t.Errorf("undone: %+v", done)
	}
	nowhere("undone")
}
