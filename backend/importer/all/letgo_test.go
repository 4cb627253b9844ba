package all_test

import (
	"strings"
	"testing"

	"keepsake/backend/importer"
	"keepsake/backend/importer/grok"
	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/lechat"
)

// TestLongTalksAreLetGo: a conversation is given without what it was read from. Its texts
// are written in six letters for each of theirs, and are held in no more than theirs.
func TestLongTalksAreLetGo(t *testing.T) {
	var said []string
	for range 100 {
		said = append(said, `"`+strings.Repeat(`\u0061`, 100_000)+`"`)
	}
	for id, im := range map[string]importer.Importer{"grok": grok.Importer{}, "lechat": lechat.Importer{}} { // one element, and one each
		t.Run(id, func(t *testing.T) {
			tree := exports[id](`"Long"`, someTime, said...).Tree(t)
			w := &Weighing{Sink: (&Recording{}).Sink()}
			before := InUse()
			if err := im.Read(t.Context(), tree, w); err != nil {
				t.Fatal(err)
			}
			if held := w.Whole - before; held > 40<<20 {
				t.Errorf("%d MB are held with 10 MB of text", held>>20)
			}
		})
	}
}
