package rows

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/uuid"
)

// TestTable holds the table against a plain map, through puts, replacements
// and drops, with ids of both kinds.
func TestTable(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	table, w := newConversationTable(), Interner{numbers: map[string]Word{}}
	want, next := map[string]uint32{}, uint32(1)
	ids := make([]string, 300)
	for i := range ids {
		if ids[i] = fmt.Sprint("talk ", i); i%2 == 0 {
			ids[i] = uuid.NewString()
		}
	}
	for range 20_000 {
		id := ids[random.IntN(len(ids))]
		if random.IntN(3) == 0 {
			if dropped := table.drop(w.Known(id)); (dropped != nil) != (want[id] != 0) {
				t.Fatalf("%s: dropped %v, want %d", id, dropped, want[id])
			}
			delete(want, id)
			continue
		}
		seq := want[id]
		if seq == 0 {
			seq, next = next, next+1
		}
		table.put(&ConversationEntry{ID: w.short(id), Seq: seq, Messages: uint32(random.IntN(9))})
		want[id] = seq
	}
	if table.Count != len(want) || len(table.places) > 1024 {
		t.Errorf("%d entries in %d places, want %d", table.Count, len(table.places), len(want))
	}
	for _, id := range ids {
		e := table.Find(w.Known(id))
		if e == nil && want[id] != 0 || e != nil && (e.Seq != want[id] || w.Long(e.ID) != id) {
			t.Errorf("%s: found %+v, want %d", id, e, want[id])
		}
	}
}

// TestPackedIDs: ids come back as they were, and are ordered as their texts are.
func TestPackedIDs(t *testing.T) {
	w := Interner{numbers: map[string]Word{}}
	ids := []string{"", "a", "00000000-0000-4000-8000-00000000000A", "00000000-0000-4000-8000-00000000000a",
		"00000000-0000-4000-8000-000000000009", "ffffffff-ffff-4fff-bfff-ffffffffffff", "urn:uuid:00000000-0000-4000-8000-000000000009", "00000000-0000-4000-80000-00000000009"}
	for _, a := range ids[1:] {
		if got := w.Long(w.short(a)); got != a {
			t.Errorf("%q became %q", a, got)
		}
		for _, b := range ids[1:] {
			if got, want := w.CompareIDs(w.short(a), w.short(b)) < 0, a < b; got != want {
				t.Errorf("%q before %q: %v", a, b, got)
			}
		}
	}
}
