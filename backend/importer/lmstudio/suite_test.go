package lmstudio_test

import (
	"testing"

	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/importer/lmstudio"
)

// TestSuite holds the reader to what all readers promise.
func TestSuite(t *testing.T) { RunLayers(t, lmstudio.Importer{}, CutJSON, gen.LMStudio()) }

func FuzzRead(f *testing.F) {
	for _, l := range gen.LMStudio() {
		f.Add(l.Files[0].Data)
	}
	FuzzReader(f, lmstudio.Importer{}, "1.conversation.json")
}
