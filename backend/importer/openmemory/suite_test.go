package openmemory_test

import (
	"testing"

	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/importer/openmemory"
)

// TestSuite holds the reader to what all readers promise.
func TestSuite(t *testing.T) { RunLayers(t, openmemory.Importer{}, CutJSON, gen.OpenMemory()) }

func FuzzRead(f *testing.F) {
	for _, l := range gen.OpenMemory() {
		f.Add(l.Files[0].Data)
	}
	FuzzReader(f, openmemory.Importer{}, "memories.json")
}
