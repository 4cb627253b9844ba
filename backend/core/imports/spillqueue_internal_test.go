package imports

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"keepsake/backend/format/mif"
	"keepsake/backend/importer"
	"keepsake/backend/memory"
	"keepsake/backend/seal"
)

// Promise: relations that wait come back as they were and in their order, however
// many they are, and memory holds fewer than a batch of them.
func TestRelationsWait(t *testing.T) {
	dir, opened := t.TempDir(), 0
	w := spillQueue{open: func() (*seal.Scratch, error) { opened++; return seal.NewScratch(dir) }}
	defer w.drop()
	none := 0.0
	draft := func(i int) *importer.RelationDraft {
		d := &importer.RelationDraft{Relation: memory.Relation{ID: fmt.Sprint(i), From: "mem_<&\u2028", To: "é", Type: memory.Supports}, Owner: "robin", Kept: mif.Related, Loose: `{"weight": 1e-7}`}
		if i%2 == 0 { // absent and zero are two things
			d.Confidence, d.CreatedAt = &none, memory.At(time.Unix(int64(i), 123456000))
		}
		return d
	}
	for _, n := range []int{0, 3, batchItems, 2*batchItems + 7} {
		for i := range n {
			if err := w.add(draft(i)); err != nil {
				t.Fatal(err)
			}
			if len(w.tail) >= batchItems {
				t.Fatalf("%d are held", len(w.tail))
			}
		}
		if w.count() != n {
			t.Fatalf("%d of %d wait", w.count(), n)
		}
		at := 0
		for w.count() > 0 {
			all, err := w.next()
			if err != nil || len(all) == 0 {
				t.Fatalf("%d of %d, then %v", at, n, err)
			}
			for _, d := range all {
				if diff := cmp.Diff(draft(at), d); diff != "" {
					t.Fatal(diff)
				}
				at++
			}
		}
		if at != n {
			t.Errorf("%d of %d came back", at, n)
		}
	}
	if opened != 1 {
		t.Errorf("%d scratch files", opened)
	}
	for range batchItems + 1 {
		if err := w.add(draft(1)); err != nil {
			t.Fatal(err)
		}
	}
	w.drop()
	if all, err := w.next(); w.count() != 0 || len(all) != 0 || err != nil {
		t.Errorf("dropped, %d wait, %v", len(all), err)
	}
}
