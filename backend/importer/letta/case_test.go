package letta_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/importer/letta"
)

// TestLongBlock: a block is gone over once, and not for each of its statements.
func TestLongBlock(t *testing.T) {
	const all = 50_000 // quadratic work would take minutes
	var value strings.Builder
	for i := range all {
		fmt.Fprintf(&value, `- Likes tea %d%s\n`, i, strings.Repeat(" and", 80))
	}
	r := Read(t, letta.Importer{}, Loose("a.af", `{"agents":[{"id":"a","name":"A","block_ids":["b"],"messages":[]}],"blocks":[{"id":"b","label":"human","description":"kept","value":"`+value.String()+`"}]}`).Tree(t))
	if len(r.Memories) != all {
		t.Fatalf("%d memories of %d", len(r.Memories), all)
	}
	for _, i := range []int{0, all - 1} {
		if raw, err := json.Marshal(r.Memories[i].Metadata["raw"]); err != nil || string(raw) != `{"description":"kept"}` {
			t.Errorf("memory %d keeps %s, %v", i, raw, err)
		}
	}
}

// TestCase44PersonaAndSecrets is §13.44: the persona is no fact about the person, and secrets
// are kept nowhere.
func TestCase44PersonaAndSecrets(t *testing.T) {
	for _, l := range gen.Letta() {
		r := Read(t, letta.Importer{}, LayerFixture(l, CutJSON).Tree(t))
		all, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(all), gen.LettaSecret) {
			t.Errorf("%s: a secret was kept", l.Name)
		}
		if strings.Contains(string(all), "kind helper") || strings.Contains(string(all), "I am old") {
			t.Errorf("%s: the persona was kept", l.Name)
		}
		if r.Skipped["persona"] != 1 || r.Skipped["secret"] == 0 {
			t.Errorf("%s: %v", l.Name, r.Skipped)
		}
	}
}
