package mcpmemory_test

import (
	"testing"

	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/importer/mcpmemory"
)

// TestSuite holds the reader to what all readers promise.
func TestSuite(t *testing.T) { RunLayers(t, mcpmemory.Importer{}, CutLines, gen.MCPMemory()) }

func FuzzRead(f *testing.F) {
	for _, l := range gen.MCPMemory() {
		f.Add(l.Files[0].Data)
	}
	FuzzReader(f, mcpmemory.Importer{}, "memory.jsonl")
}
