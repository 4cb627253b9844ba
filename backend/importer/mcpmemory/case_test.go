package mcpmemory_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
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

// TestLongEntity: an entity is gone over once, and not for each of its observations.
func TestLongEntity(t *testing.T) {
	const all = 50_000 // quadratic work would take minutes
	var said []string
	for i := range all {
		said = append(said, fmt.Sprintf(`"likes tea %d%s"`, i, strings.Repeat(" and", 80)))
	}
	r := Read(t, mcpmemory.Importer{}, Loose("memory.jsonl", `{"type":"entity","name":"A","entityType":"x","since":"kept","observations":[`+strings.Join(said, ",")+"]}").Tree(t))
	if len(r.Memories) != all {
		t.Fatalf("%d memories of %d", len(r.Memories), all)
	}
	for _, i := range []int{0, all - 1} {
		if raw, err := json.Marshal(r.Memories[i].Metadata["raw"]); err != nil || string(raw) != `{"since":"kept"}` {
			t.Errorf("memory %d keeps %s, %v", i, raw, err)
		}
	}
}
