package mcpmemory_test

import (
	"slices"
	"testing"

	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/mcpmemory"
)

// TestBadLines: blank lines, one bad line, a kind nobody knows and a torn end
// do not lose the rest.
func TestBadLines(t *testing.T) {
	text := "{\"type\":\"entity\",\"name\":\"A\",\"entityType\":\"x\",\"observations\":[\"A likes tea\"]}\n\n{bad}\n{\"type\":\"note\",\"text\":\"?\"}\n" +
		"{\"type\":\"relation\",\"from\":\"A\",\"to\":\"B\",\"relationType\":\"KNOWS\"}\n{\"type\":\"entity\",\"name\":\"C\",\"obs"
	r := Read(t, mcpmemory.Importer{}, Loose("memory.jsonl", text).Tree(t))
	if !slices.Equal(r.Contents(), []string{"A likes tea", "A knows B"}) || len(r.Problems) != 2 || r.Unknown["record:note"] != 1 {
		t.Errorf("%q, %+v, %v", r.Contents(), r.Problems, r.Unknown)
	}
}
