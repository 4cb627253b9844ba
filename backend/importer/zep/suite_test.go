package zep_test

import (
	"testing"

	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/importer/zep"
)

// TestSuite holds the reader to what all readers promise.
func TestSuite(t *testing.T) { RunLayers(t, zep.Importer{}, CutJSON, gen.Zep()) }

func FuzzRead(f *testing.F) {
	for _, l := range gen.Zep() {
		f.Add(l.Files[0].Data)
	}
	FuzzReader(f, zep.Importer{}, "x.json")
}
