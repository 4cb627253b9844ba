package basicmemory_test

import (
	"testing"

	"keepsake/backend/importer/basicmemory"
	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
)

// TestSuite holds the reader to what all readers promise.
func TestSuite(t *testing.T) { RunLayers(t, basicmemory.Importer{}, CutText, gen.BasicMemory()) }

func FuzzRead(f *testing.F) {
	for _, l := range gen.BasicMemory() {
		f.Add(l.Files[0].Data)
	}
	FuzzReader(f, basicmemory.Importer{}, "x.md")
}
