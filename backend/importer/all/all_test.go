package all_test

import (
	"testing"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/importer/all"
	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
)

// TestEveryExportFindsItsReader holds that no reader takes another's export.
func TestEveryExportFindsItsReader(t *testing.T) {
	for _, s := range gen.Samples() {
		finds(t, s.Reader, Fixture{Name: s.Name, Files: s.Files})
		if s.Reader == "claude" {
			for _, f := range s.Files {
				finds(t, "claude", Fixture{Name: f.Name, Files: []gen.File{f}})
			}
		}
	}
}

func finds(t *testing.T, id string, f Fixture) {
	t.Helper()
	found, err := all.Importers().Match(t.Context(), f.Tree(t))
	if err != nil || found.Importer.Info().ID != id || found.Match.Certainty != importer.Certain {
		t.Errorf("%s: %+v, %v", f.Name, found, err)
	}
}

func TestAnUnknownProviderIsSaidSo(t *testing.T) {
	_, err := all.Importers().Match(t.Context(), Loose("notes.json", `{"notes":["a"]}`).Tree(t))
	if f := fault.From(err); f == nil || f.Code != fault.Unsupported || f.Reason != "unknown-provider" {
		t.Errorf("%v", err)
	}
}

func TestIDsAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, im := range all.Importers() {
		info := im.Info()
		if seen[info.ID] {
			t.Errorf("%s twice", info.ID)
		}
		seen[info.ID] = true
		if found, ok := all.Importers().ByID(info.ID); !ok || found.Info() != info {
			t.Errorf("%s is not found by its id", info.ID)
		}
	}
}
