package rows

import (
	"hash/maphash"
	"math"
	"sync"
)

// Table holds the rows of a collection by number and by id. The ids are found in a hash
// table of row numbers, four bytes a slot. It is built when an id is first looked up,
// because a first list needs none.
type Table[K comparable, T any] struct {
	BySeq  BySeq[T] // a row is replaced, never changed
	id     func(*T) K
	seq    func(*T) uint64
	seed   maphash.Seed
	placed sync.Once
	places []uint32 // as many as a power of two
	used   int      // places that are not free
	Count  int      // rows
}

const (
	freePlace = 0
	gonePlace = math.MaxUint32 // of a row that was dropped; a search goes on behind it
	leastRoom = 16
)

func newTable[K comparable, T any](id func(*T) K, seq func(*T) uint64) Table[K, T] {
	return Table[K, T]{id: id, seq: seq, seed: maphash.MakeSeed()}
}

// expect makes room for what leads to so many rows that are about to be filled in.
func (t *Table[K, T]) expect(rows int) { t.BySeq = make([]*T, 0, rows+rows/8+1) }

// fill takes in a row whose id no other has; nothing was looked for or put before.
func (t *Table[K, T]) fill(row *T) {
	if t.BySeq.At(t.seq(row)) == nil {
		t.Count++
	}
	t.BySeq.put(t.seq(row), row)
}

// ready makes the places of the rows that were filled in. Several may ask at once.
func (t *Table[K, T]) ready() {
	t.placed.Do(func() { t.makeRoom(t.Count) })
}

// place is where the id stands, or the free place where it would.
func (t *Table[K, T]) place(id K) int {
	at := int(maphash.Comparable(t.seed, id)) & (len(t.places) - 1)
	for t.places[at] != freePlace {
		if row := t.BySeq.At(uint64(t.places[at])); row != nil && t.id(row) == id {
			return at
		}
		at = (at + 1) & (len(t.places) - 1)
	}
	return at
}

// Find returns the row of an id, nil where there is none.
func (t *Table[K, T]) Find(id K) *T {
	t.ready()
	seq := t.places[t.place(id)]
	if seq == freePlace {
		return nil
	}
	return t.BySeq.At(uint64(seq))
}

// put takes the row in, and out the one it replaces.
func (t *Table[K, T]) put(row *T) {
	if old := t.Find(t.id(row)); old != nil && t.seq(old) == t.seq(row) { // as after an edit: it leads there already
		t.BySeq.put(t.seq(row), row)
		return
	}
	t.drop(t.id(row))
	if t.used >= len(t.places)/4*3 {
		t.makeRoom(t.Count)
	}
	t.BySeq.put(t.seq(row), row)
	t.places[t.place(t.id(row))] = uint32(t.seq(row))
	t.used++
	t.Count++
}

// drop takes the row of an id out and returns it, nil where there is none.
func (t *Table[K, T]) drop(id K) *T {
	t.ready()
	at := t.place(id)
	seq := t.places[at]
	if seq == freePlace {
		return nil
	}
	old := t.BySeq.At(uint64(seq))
	t.BySeq.put(uint64(seq), nil)
	t.places[at] = gonePlace
	t.Count--
	return old
}

// makeRoom makes places for twice as many rows.
func (t *Table[K, T]) makeRoom(rows int) {
	size := leastRoom
	for size < 2*rows+2 {
		size *= 2
	}
	t.places, t.used = make([]uint32, size), 0
	for _, row := range t.BySeq {
		if row != nil {
			t.places[t.place(t.id(row))] = uint32(t.seq(row))
			t.used++
		}
	}
}
