package chatbox_test

import (
	"testing"

	"keepsake/backend/importer/chatbox"
	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
)

// TestSuite holds the reader to what all readers promise.
func TestSuite(t *testing.T) { RunLayers(t, chatbox.Importer{}, CutJSON, gen.Chatbox()) }

// TestKeysStayOut: of the settings, which hold the keys of providers, nothing is kept.
func TestKeysStayOut(t *testing.T) {
	CheckSecret(t, chatbox.Importer{}, gen.Chatbox(), gen.ChatboxSecret)
}

// TestForks: what was said instead hangs below the message that it follows, also behind a
// fork, and what follows nothing that is there is not lost.
func TestForks(t *testing.T) {
	r := Read(t, chatbox.Importer{}, Loose("chats.json", `{"session:s":{"id":"s","name":"Soup","messages":[{"id":"q","role":"user","content":"A soup?"},{"id":"a","role":"assistant","content":"Leek."}],
		"messageForksHash":{"q":{"position":0,"lists":[{"id":"1","messages":[]},{"id":"2","messages":[{"id":"b","role":"assistant","content":"Pea."},{"id":"r","role":"user","content":"Why?"}]}]},
		"b":{"position":0,"lists":[{"id":"3","messages":[{"id":"c","role":"user","content":"Good."}]}]},"gone":{"lists":[{"messages":[{"id":"l","role":"user","content":"Lost?"}]}]},
		"c":{"lists":[{"messages":[{"id":"q","role":"user","content":"Again"}]}]}}}}`).Tree(t))
	want := map[string]string{"q": "", "a": "q", "b": "q", "r": "b", "c": "b", "l": "", "q#6": "c"}
	CheckParents(t, r.Conversations[0], want, "a")
}

func FuzzRead(f *testing.F) {
	for _, l := range gen.Chatbox() {
		f.Add(l.Files[0].Data)
	}
	FuzzReader(f, chatbox.Importer{}, "chats.json")
}
