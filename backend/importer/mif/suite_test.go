package mif_test

import (
	"slices"
	"strings"
	"testing"

	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/importer/mif"
)

// TestSuite holds the reader to what all readers promise. A line that is missing
// shows nowhere but in the checksum.
func TestSuite(t *testing.T) {
	for name, cut := range map[string]Cut{"json": CutJSON, "lines": CutLines, "yaml": CutText} {
		t.Run(name, func(t *testing.T) {
			RunLayers(t, mif.Importer{}, cut, slices.DeleteFunc(gen.MIF(), func(l gen.Layer) bool {
				return (l.Name == "lines") != (cut == CutLines) || (l.Name == "yaml") != (cut == CutText)
			}))
		})
	}
}

// TestWhatComesOut: tasks, edges and everything else are given, too.
func TestWhatComesOut(t *testing.T) {
	for _, l := range gen.MIF() {
		r := Read(t, mif.Importer{}, LayerFixture(l, CutJSON).Tree(t))
		if l.Name == "version 1" && (len(r.Todos) != 1 || len(r.Relations) != 2 || r.Relations[1].Loose == "" || len(r.Beside) != 3 || r.Records[0].Owner != "robin") {
			t.Errorf("%+v", r)
		}
		if l.Name == "version 2" && (len(r.Embeddings) != 1 || len(r.Relations) != 1 || r.Relations[0].Kept != "related" || len(r.Beside) != 3) {
			t.Errorf("%+v", r)
		}
	}
}

func TestRefusals(t *testing.T) {
	m, err := mif.Importer{}.Sniff(t.Context(), Loose("x.json", `{"mif_version":"3.0","export":{"id":"e","user_id":"u"},"memories":[]}`).Tree(t))
	if err != nil || m.Advice == nil || m.Advice.Reason != "mif-version" {
		t.Errorf("%+v, %v", m, err)
	}
	text := `{"mif_version":"1.4","export":{"id":"e","user_id":"u","checksum":"sha256:` + strings.Repeat("0", 64) + `"},"memories":[],"mood":"calm"}`
	r := Read(t, mif.Importer{}, Loose("x.json", text).Tree(t))
	if len(r.Problems) != 2 || r.Problems[0].Reason != "mif-newer" || r.Problems[1].Reason != "mif-checksum" || r.Unknown["document:mood"] != 1 || len(r.Beside) != 1 {
		t.Errorf("%+v", r)
	}
}

func FuzzRead(f *testing.F) {
	for _, l := range gen.MIF() {
		f.Add(l.Files[0].Data)
	}
	FuzzReader(f, mif.Importer{}, "x.json")
}
