package letta_test

import (
	"testing"

	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/importer/letta"
)

// TestSuite holds the reader to what all readers promise.
func TestSuite(t *testing.T) { RunLayers(t, letta.Importer{}, CutJSON, gen.Letta()) }

func FuzzRead(f *testing.F) {
	for _, l := range gen.Letta() {
		f.Add(l.Files[0].Data)
	}
	FuzzReader(f, letta.Importer{}, "x.af")
}
