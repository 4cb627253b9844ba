package codex_test

import (
	"testing"

	"keepsake/backend/importer/codex"
	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
)

// TestSuite holds the reader to what all readers promise.
func TestSuite(t *testing.T) { RunLayers(t, codex.Importer{}, CutLines, gen.Codex()) }

func FuzzRead(f *testing.F) {
	for _, l := range gen.Codex() {
		f.Add(l.Files[0].Data)
	}
	FuzzReader(f, codex.Importer{}, "rollout.jsonl")
}
