package rows

import (
	"hash/maphash"
	"math"
	"sync"
)

// Table holds the rows of a collection by number and by id. The ids are found in a hash
// table of row numbers, four bytes a slot. It is built when an id is first looked up: the
// list that is shown first after an unlock looks up no id.
type Table[K comparable, T any] struct {
	BySeq  BySeq[T] // rows by number; a row is replaced, never modified
	id     func(*T) K
	seq    func(*T) uint64
	seed   maphash.Seed
	placed sync.Once
	places []uint32 // the hash table; its length is a power of two
	used   int      // number of places in use, including tombstones
	Count  int      // number of rows
}

const (
	freePlace = 0
	gonePlace = math.MaxUint32 // tombstone of a dropped row; a lookup goes on past it
	leastRoom = 16
)

func newTable[K comparable, T any](id func(*T) K, seq func(*T) uint64) Table[K, T] {
	return Table[K, T]{id: id, seq: seq, seed: maphash.MakeSeed()}
}

// expect allocates BySeq for the number of rows that fill is about to add.
func (t *Table[K, T]) expect(rows int) { t.BySeq = make([]*T, 0, rows+rows/8+1) }

// fill adds a row and does not check that its id is unique. It may be called only
// before the first Find or put.
func (t *Table[K, T]) fill(row *T) {
	if t.BySeq.At(t.seq(row)) == nil {
		t.Count++
	}
	t.BySeq.put(t.seq(row), row)
}

// ready builds the hash table once, for the rows added by fill. Concurrent calls are
// safe.
func (t *Table[K, T]) ready() {
	t.placed.Do(func() { t.makeRoom(t.Count) })
}

// place returns the index in places of an id, or of the free place where it belongs.
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

// Find returns the row with an id, nil if there is none.
func (t *Table[K, T]) Find(id K) *T {
	t.ready()
	seq := t.places[t.place(id)]
	if seq == freePlace {
		return nil
	}
	return t.BySeq.At(uint64(seq))
}

// put adds a row and removes the one with the same id.
func (t *Table[K, T]) put(row *T) {
	if old := t.Find(t.id(row)); old != nil && t.seq(old) == t.seq(row) { // same seq: hash table stays valid
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

// drop removes the row with an id and returns it, nil if there is none.
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

// makeRoom builds the hash table anew, with more than twice as many places as rows.
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
