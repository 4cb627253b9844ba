package claudecode_test

import (
	"testing"

	"keepsake/backend/importer/claudecode"
	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
)

// TestSuite holds the reader to what all readers promise.
func TestSuite(t *testing.T) { RunLayers(t, claudecode.Importer{}, CutLines, gen.ClaudeCode()) }

func FuzzRead(f *testing.F) {
	for _, l := range gen.ClaudeCode() {
		f.Add(l.Files[0].Data)
	}
	FuzzReader(f, claudecode.Importer{}, "s.jsonl")
}
