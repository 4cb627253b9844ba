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
	for _, foreign := range []bool{false, true} {
		files, _ := gen.PAM(gen.PAMOptions{Seed: 1, Memories: 3, Conversations: 2, Turns: 2, Foreign: foreign})
		finds(t, "pam", Fixture{Name: "bundle", Files: []gen.File{{Name: "memories.pam.zip", Data: gen.Zip(files)}}})
		finds(t, "pam", Fixture{Name: "store", Files: []gen.File{{Name: "anything.json", Data: files[0].Data}}})
	}
}

// TestNobodyTakesAnothers holds that only its own reader recognises an export.
func TestNobodyTakesAnothers(t *testing.T) {
	for _, s := range gen.Samples() {
		for _, im := range all.Importers() {
			if im.Info().ID == s.Reader {
				continue
			}
			m, err := im.Sniff(t.Context(), Fixture{Files: s.Files}.Tree(t))
			if err != nil || m.Certainty != importer.None {
				t.Errorf("%s takes %s %s: %+v, %v", im.Info().ID, s.Reader, s.Name, m, err)
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

// TestNobodyElseRecognisesAnExport holds that every other reader leaves it alone,
// so that the order of the list decides nothing.
func TestNobodyElseRecognisesAnExport(t *testing.T) {
	for _, e := range gen.Samples() {
		for _, im := range all.Importers() {
			if im.Info().ID == e.Reader {
				continue
			}
			m, err := im.Sniff(t.Context(), Fixture{Name: e.Name, Files: e.Files}.Tree(t))
			if err != nil || m.Certainty != importer.None {
				t.Errorf("%s takes the %s of %s: %+v, %v", im.Info().ID, e.Name, e.Reader, m, err)
			}
		}
	}
}
