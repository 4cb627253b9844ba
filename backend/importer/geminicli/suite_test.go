package geminicli_test

import (
	"testing"

	"keepsake/backend/importer/geminicli"
	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
)

// TestSuite holds the reader to what all readers promise.
func TestSuite(t *testing.T) { RunLayers(t, geminicli.Importer{}, CutLog, gen.GeminiCLI()) }

func FuzzRead(f *testing.F) {
	for _, l := range gen.GeminiCLI() {
		f.Add(l.Files[0].Data)
	}
	FuzzReader(f, geminicli.Importer{}, "session.jsonl")
}
