package mem0_test

import (
	"testing"

	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/importer/mem0"
)

// TestSuite holds the reader to what all readers promise.
func TestSuite(t *testing.T) { RunLayers(t, mem0.Importer{}, CutJSON, gen.Mem0()) }

func FuzzRead(f *testing.F) {
	for _, l := range gen.Mem0() {
		f.Add(l.Files[0].Data)
	}
	FuzzReader(f, mem0.Importer{}, "x.json")
}
