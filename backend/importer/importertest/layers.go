package importertest

import (
	"slices"
	"testing"

	"keepsake/backend/importer"
	"keepsake/backend/importer/importertest/gen"
)

// RunLayers holds a reader to the suite, and to exactly what was planted.
func RunLayers(t *testing.T, im importer.Importer, cut Cut, layers []gen.Layer) {
	var own []Fixture
	for _, l := range layers {
		f := LayerFixture(l, cut)
		own = append(own, f)
		r := Read(t, im, f.Tree(t))
		if got := r.Contents(); !slices.Equal(got, l.Memories) {
			t.Errorf("%s: remembered %q, planted %q", l.Name, got, l.Memories)
		}
		if len(r.Conversations) != l.Talks {
			t.Errorf("%s: %d conversations, planted %d", l.Name, len(r.Conversations), l.Talks)
		}
	}
	Run(t, im, own, Strangers(im.Info().ID))
}

// LayerFixture is a generated dump as a fixture with a golden file.
func LayerFixture(l gen.Layer, cut Cut) Fixture {
	return Fixture{Name: l.Name, Files: l.Files, Records: l.Records, Cut: cut, Golden: true}
}
