package sample_test

import (
	"bytes"
	"testing"

	"keepsake/backend/importer"
	"keepsake/backend/importer/chatgpt"
	"keepsake/backend/importer/claude"
	"keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/importer/sample"
)

func TestTheSameBytesEachTime(t *testing.T) {
	one, err := sample.Exports()
	if err != nil {
		t.Fatal(err)
	}
	two, err := sample.Exports()
	if err != nil || len(one) != len(two) {
		t.Fatal(err)
	}
	for i := range one {
		if !bytes.Equal(one[i].Data, two[i].Data) || len(one[i].Data) == 0 {
			t.Errorf("%s differs from itself", one[i].Name)
		}
	}
}

// TestSamplesShowWhatThereIs reads the samples as a person's own exports are
// read: they must have something of everything that the page can show.
func TestSamplesShowWhatThereIs(t *testing.T) {
	exports, err := sample.Exports()
	if err != nil {
		t.Fatal(err)
	}
	for i, im := range []importer.Importer{chatgpt.Importer{}, claude.Importer{}} {
		f := importertest.Fixture{Name: exports[i].Name, Files: []gen.File{{Name: exports[i].Name, Data: exports[i].Data}}}
		r := importertest.Read(t, im, f.Tree(t))
		importertest.CheckDrafts(t, im.Info(), r)
		if len(r.Memories) < 5 || len(r.Problems) > 0 || len(r.Unknown) > 0 || len(r.Missing) > 0 {
			t.Errorf("%s: %d memories, problems %v, unknown %v, missing %v", f.Name, len(r.Memories), r.Problems, r.Unknown, r.Missing)
		}
		if !branches(r) || len(r.Attachments) == 0 {
			t.Errorf("%s: no branch or no attachment", f.Name)
		}
	}
}

func branches(r *importertest.Recording) bool {
	for _, c := range r.Conversations {
		for _, m := range c.Messages {
			if len(m.ChildrenIDs) > 1 {
				return true
			}
		}
	}
	return false
}
