package core

import (
	"hash/maphash"
	"math"
)

// entryTable holds the conversations of a vault by number and by id. Where an id
// leads to takes four bytes: its place holds the number of an entry, which holds
// the id.
type entryTable struct {
	bySeq  bySeq[conversationEntry] // an entry is replaced, never changed
	seed   maphash.Seed
	places []uint32 // as many as a power of two
	used   int      // places that are not free
	count  int      // entries
}

const (
	freePlace = 0
	gonePlace = math.MaxUint32 // of an entry that was dropped; a search goes on behind it
	leastRoom = 16
)

func newEntryTable() entryTable {
	return entryTable{seed: maphash.MakeSeed(), places: make([]uint32, leastRoom)}
}

// place is where the id stands, or the free place where it would.
func (t *entryTable) place(id packedID) int {
	at := int(maphash.Comparable(t.seed, id)) & (len(t.places) - 1)
	for t.places[at] != freePlace {
		if e := t.bySeq.at(uint64(t.places[at])); e != nil && e.id == id {
			return at
		}
		at = (at + 1) & (len(t.places) - 1)
	}
	return at
}

// find returns the entry of an id, nil where there is none.
func (t *entryTable) find(id packedID) *conversationEntry {
	seq := t.places[t.place(id)]
	if seq == freePlace {
		return nil
	}
	return t.bySeq.at(uint64(seq))
}

// put takes the entry in, and out the one it replaces.
func (t *entryTable) put(e *conversationEntry) {
	t.drop(e.id)
	if t.used >= len(t.places)/4*3 {
		t.rebuild()
	}
	t.bySeq.put(uint64(e.seq), e)
	t.places[t.place(e.id)] = e.seq
	t.used++
	t.count++
}

// drop takes the entry of an id out and returns it, nil where there is none.
func (t *entryTable) drop(id packedID) *conversationEntry {
	at := t.place(id)
	seq := t.places[at]
	if seq == freePlace {
		return nil
	}
	old := t.bySeq.at(uint64(seq))
	t.bySeq.put(uint64(seq), nil)
	t.places[at] = gonePlace
	t.count--
	return old
}

// rebuild makes room for twice the entries there are.
func (t *entryTable) rebuild() {
	size := leastRoom
	for size < 2*t.count+2 {
		size *= 2
	}
	t.places, t.used = make([]uint32, size), 0
	for _, e := range t.bySeq {
		if e != nil {
			t.places[t.place(e.id)] = e.seq
			t.used++
		}
	}
}
