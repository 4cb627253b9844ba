package letta_test

import (
	"encoding/json"
	"strings"
	"testing"

	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/importer/letta"
)

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
