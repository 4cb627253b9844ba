package search

import "errors"

// InMemory returns an index of a few texts that is never stored, such as one for a single
// search. It is synced. Put fails once it would have to be written, from about 500 MB on.
func InMemory(field func(name, value string) (func(kind Kind, seq uint64, part uint32, time int64) bool, error)) *Index {
	ix := &Index{store: noStore{}, opt: Options{Field: field, LiveBytes: mostLive, LiveUnits: mostLive}.withDefaults(), live: newLive(), synced: true}
	ix.segs = []*segment{ix.live.segment}
	return ix
}

// noStore has nothing and keeps nothing. The words of a live segment are not read from it.
type noStore struct{}

func (noStore) View(fn func(Tx) error) error { return fn(nil) }

func (noStore) Update(func(Tx) error) error { return errors.New("search index in memory is full") }
