package cherrystudio_test

import (
	"testing"

	"keepsake/backend/importer/cherrystudio"
	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
)

// TestSuite holds the reader to what all readers promise.
func TestSuite(t *testing.T) { RunLayers(t, cherrystudio.Importer{}, CutJSON, gen.CherryStudio()) }

// TestKeysStayOut: of the settings, which hold the keys of providers, nothing is kept.
func TestKeysStayOut(t *testing.T) {
	CheckSecret(t, cherrystudio.Importer{}, gen.CherryStudio(), gen.CherrySecret)
}

// TestSeveralAnswers: answers of several models hang below one question, and the next
// question below the one that was selected.
func TestSeveralAnswers(t *testing.T) {
	r := Read(t, cherrystudio.Importer{}, Loose("data.json", `{"localStorage":{"persist:cherry-studio":"{}"},"indexedDB":{"message_blocks":[],"topics":[{"id":"t","messages":[
		{"id":"q","role":"user","content":"A soup?"},{"id":"a","role":"assistant","askId":"q","content":"Leek."},{"id":"b","role":"assistant","askId":"q","foldSelected":true,"content":"Pea."},
		{"id":"c","role":"assistant","askId":"q","content":"Bean."},{"id":"r","role":"user","content":"Good."},{"id":"d","role":"assistant","askId":"r","content":"Enjoy."}]}]}}`).Tree(t))
	want := map[string]string{"q": "", "a": "q", "b": "q", "c": "q", "r": "b", "d": "r"}
	CheckParents(t, r.Conversations[0], want, "d")
}

func FuzzRead(f *testing.F) {
	for _, l := range gen.CherryStudio() {
		f.Add(l.Files[0].Data)
	}
	FuzzReader(f, cherrystudio.Importer{}, "data.json")
}
