package importertest

import (
	"bytes"
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
	return Fixture{Name: l.Name, Files: l.Files, Records: l.Records, Cut: cut, Golden: true, Rows: l.Rows, Unread: l.Unread}
}

// CheckParents holds that a conversation has the messages that are wanted, by their ids, each with its
// parent, and the leaf.
func CheckParents(t *testing.T, c Conversation, want map[string]string, leaf string) {
	t.Helper()
	for _, m := range c.Messages {
		if parent, ok := want[m.ID]; !ok || m.ParentID != parent {
			t.Errorf("%s hangs below %q, want %q", m.ID, m.ParentID, parent)
		}
	}
	if len(c.Messages) != len(want) || c.Leaf != leaf {
		t.Errorf("%d messages, leaf %s", len(c.Messages), c.Leaf)
	}
}

// CheckSecret holds that what stands in a dump as a key is in nothing that is read of it,
// and that it stands in some dump at all.
func CheckSecret(t *testing.T, im importer.Importer, layers []gen.Layer, secret string) {
	t.Helper()
	planted := false
	for _, l := range layers {
		for _, f := range l.Files {
			entries := []gen.File{f}
			if isZip(f) {
				entries = gen.Unzip(f.Data)
			}
			planted = planted || slices.ContainsFunc(entries, func(e gen.File) bool { return bytes.Contains(e.Data, []byte(secret)) })
		}
		if text := form(t, Read(t, im, LayerFixture(l, CutJSON).Tree(t))); bytes.Contains(text, []byte(secret)) {
			t.Errorf("%s: a key is read", l.Name)
		}
	}
	if !planted {
		t.Error("no dump holds the key")
	}
}
