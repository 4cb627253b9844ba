package instructions_test

import (
	"testing"

	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/importer/instructions"
)

// TestSuite holds the reader to what all readers promise.
func TestSuite(t *testing.T) { RunLayers(t, instructions.Importer{}, CutText, gen.Instructions()) }

func FuzzRead(f *testing.F) {
	for _, l := range gen.Instructions() {
		f.Add(l.Files[0].Data)
	}
	FuzzReader(f, instructions.Importer{}, "AGENTS.md")
}
