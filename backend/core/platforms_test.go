package core_test

import (
	"testing"

	"keepsake/backend/core"
)

// bees writes one fact about the person to two files: an export of mem0 and one of
// mcp-memory-service.
func (k *kit) bees() (mem0, service string) {
	mem0 = k.file("mem0.json", []byte(`{"results":[{"id":"6f1c7c0e-0d6b-4d3e-8a54-0b8c6f4f2a10","memory":"Ada keeps bees.","hash":"a","user_id":"ada","created_at":"2026-03-01T09:00:00Z"}]}`))
	service = k.file("service.json", []byte(`{"export_metadata":{"source_machine":"desk","total_memories":1},"memories":[{"content":"Ada keeps bees.","content_hash":"b","tags":[],"memory_type":"note","created_at":1772500000}]}`))
	return mem0, service
}

// Promise (B10): a memory that two platforms stated is found, counted and shown as one
// of both, whichever came first, and after the vault was opened again.
func TestEveryPlatformOfAMemory(t *testing.T) {
	k := provider(t)
	mem0, service := k.bees()
	k.imports(mem0)
	k.imports(service)
	both := []string{"mem0", "mcp-memory"}
	look := func() {
		t.Helper()
		for _, platform := range both {
			equal(t, 1, len(k.memories(core.MemoryQuery{Platforms: []string{platform}})))
			equal(t, 1, len(k.finds(core.SearchQuery{Text: "bees", Platforms: []string{platform}})))
			equal(t, 1, len(k.finds(core.SearchQuery{Text: "bees platform:" + platform})))
		}
		equal(t, 0, len(k.memories(core.MemoryQuery{Platforms: []string{"letta"}})))
		equal(t, map[string]int{both[0]: 1, both[1]: 1}, ok(k.Facets(ctx, core.MemoryQuery{})).Platforms)
	}
	look()
	k.reopen()
	look()
	for _, platform := range both {
		r, _ := k.export(platform+".json", core.ExportOptions{Platforms: []string{platform}})
		equal(t, 1, r.Memories)
	}
}

// Undo of the import that brought the second platform takes that platform away again.
func TestUndoTakesThePlatformAway(t *testing.T) {
	k := provider(t)
	mem0, service := k.bees()
	k.imports(mem0)
	second := k.imports(service)
	ok(k.UndoImport(ctx, second.ImportID))
	equal(t, map[string]int{"mem0": 1}, ok(k.Facets(ctx, core.MemoryQuery{})).Platforms)
	equal(t, 0, len(k.memories(core.MemoryQuery{Platforms: []string{"mcp-memory"}})))
}
