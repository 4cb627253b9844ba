package librechat_test

import (
	"testing"

	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/importer/librechat"
)

// TestSuite holds the reader to what all readers promise.
func TestSuite(t *testing.T) { RunLayers(t, librechat.Importer{}, CutJSON, gen.LibreChat()) }

func FuzzRead(f *testing.F) {
	for _, l := range gen.LibreChat() {
		f.Add(l.Files[0].Data)
	}
	FuzzReader(f, librechat.Importer{}, "chat.json")
}
