package typingmind_test

import (
	"testing"

	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/importer/typingmind"
)

// TestSuite holds the reader to what all readers promise.
func TestSuite(t *testing.T) { RunLayers(t, typingmind.Importer{}, CutJSON, gen.TypingMind()) }

// TestKeysStayOut: of the settings, which hold the keys of providers, nothing is kept.
func TestKeysStayOut(t *testing.T) {
	CheckSecret(t, typingmind.Importer{}, gen.TypingMind(), gen.TypingMindSecret)
}

func FuzzRead(f *testing.F) {
	for _, l := range gen.TypingMind() {
		f.Add(l.Files[0].Data)
	}
	FuzzReader(f, typingmind.Importer{}, "chats.json")
}
