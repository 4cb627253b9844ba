package jan_test

import (
	"testing"

	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/importer/jan"
)

// TestSuite holds the reader to what all readers promise.
func TestSuite(t *testing.T) { RunLayers(t, jan.Importer{}, CutLines, gen.Jan()) }

func FuzzRead(f *testing.F) {
	for _, l := range gen.Jan() {
		f.Add(l.Files[0].Data)
	}
	FuzzReader(f, jan.Importer{}, "messages.jsonl")
}
