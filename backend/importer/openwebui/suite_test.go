package openwebui_test

import (
	"testing"

	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/importer/openwebui"
)

// TestSuite holds the reader to what all readers promise.
func TestSuite(t *testing.T) { RunLayers(t, openwebui.Importer{}, CutJSON, gen.OpenWebUI()) }

func FuzzRead(f *testing.F) {
	for _, l := range gen.OpenWebUI() {
		f.Add(l.Files[0].Data)
	}
	FuzzReader(f, openwebui.Importer{}, "chat.json")
}
