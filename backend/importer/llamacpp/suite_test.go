package llamacpp_test

import (
	"strings"
	"testing"

	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/importer/llamacpp"
)

// TestSuite holds the reader to what all readers promise.
func TestSuite(t *testing.T) { RunLayers(t, llamacpp.Importer{}, CutLines, gen.LlamaCpp()) }

// TestChildrenThatAreNotThere: older files name children that were not exported, and a
// parent that stands nowhere.
func TestChildrenThatAreNotThere(t *testing.T) {
	r := Read(t, llamacpp.Importer{}, Loose("c.jsonl", `{"type":"session","harness":"llama.app","id":"s","name":"Soup","currNode":"b"}`+"\n"+
		`{"type":"message","message":{"convId":"s","id":"a","parent":"root","children":["b","gone"],"role":"user","content":"A soup?","timestamp":1783619815561}}`+"\n"+
		`{"type":"message","message":{"convId":"s","id":"b","parent":"a","children":[],"role":"assistant","content":"Leek.","timestamp":1783619816561}}`+"\n").Tree(t))
	c := r.Conversations[0]
	if len(c.Messages) != 2 || c.Messages[0].ParentID != "" || c.Messages[1].ParentID != "a" || c.Leaf != "b" || len(c.Messages[0].RawMetadata) > 0 {
		t.Errorf("%+v", c)
	}
}

// TestTooManyLines: a file of more lines than are held.
func TestTooManyLines(t *testing.T) {
	row := func(id, text string) string {
		return `{"type":"message","message":{"convId":"` + id + `","id":"` + text[:4] + `","role":"user","content":"` + text + `"}}` + "\n"
	}
	long := ""
	for _, c := range strings.Split("abcdefghijklmnop", "") {
		long += row("long", strings.Repeat(c, 200))
	}
	CheckLimit(t, llamacpp.Importer{}, llamacpp.Holding(1000), "long.jsonl", long, Loose("small.jsonl", row("small", "said")))
}

func FuzzRead(f *testing.F) {
	for _, l := range gen.LlamaCpp() {
		f.Add(l.Files[0].Data)
	}
	FuzzReader(f, llamacpp.Importer{}, "conversation.jsonl")
}
