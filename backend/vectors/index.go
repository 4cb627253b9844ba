package vectors

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"

	"keepsake/backend/search"
)

// Options say what the vectors of an index are.
type Options struct {
	Model      string // vectors of another model are never compared with these, and are dropped
	Dimensions int    // numbers in a vector

	// Mean is the mean vector of texts in general. It stands in for that of the
	// collection, which is subtracted before vectors are compared, while that is small;
	// nil: zeros.
	Mean []float32

	// Probe is the vector of a text that never changes. It is kept with the others, so that
	// StoredOptions can say later by which model they were made; nil: none is kept.
	Probe []float32
}

// Ref is what a vector stands for: a memory, or a part of a conversation, from the message
// at Part on.
type Ref struct {
	Kind search.Kind
	Seq  uint64 // the record's number in the vault
	Part uint32
}

// Vector is what a text was turned into, and where in its unit the text stands.
type Vector struct {
	Part    uint32
	Numbers []float32 // of length 1
}

// Entry is a unit with its vectors; one without any text has none.
type Entry struct {
	Unit    search.Unit
	Vectors []Vector
}

// key is what a unit is found by.
type key struct {
	kind search.Kind
	seq  uint64
}

func keyOf(u search.Unit) key { return key{u.Kind, u.Seq} }

// Index keeps vectors in a store, and all of them in memory once they are asked for. Its
// methods may be called at any time from any goroutine.
type Index struct {
	store search.Store
	opt   Options
	size  int // slots of a page

	mu      sync.RWMutex
	pages   []*page // all but the last are full
	loaded  bool    // codes of all pages are in memory
	stored  int     // pages in the store
	version uint64  // changes with every vector that comes or goes
	center  center
}

// Open reads which vectors a store has. Pages that are damaged, and those of another model
// or another format, count as missing: Sync then names their units.
func Open(store search.Store, opt Options) (*Index, error) {
	ix := &Index{store: store, opt: opt, size: slotsOf(opt.Dimensions)}
	if ix.size == 0 {
		return nil, fmt.Errorf("open vectors: %d dimensions", opt.Dimensions)
	}
	err := store.View(func(tx search.Tx) error {
		if own, err := ix.isOwn(tx); err != nil || !own {
			return err
		}
		return ix.read(tx, false)
	})
	if err == nil && len(ix.pages) == 0 {
		err = Reset(store)
	}
	if err != nil {
		return nil, fmt.Errorf("open vectors: %w", err)
	}
	return ix, nil
}

// OpenStored opens the vectors that a store has, whatever model made them; nil if it has none
// that can be read.
func OpenStored(store search.Store) (*Index, error) {
	opt, err := StoredOptions(store)
	if err != nil || opt.Model == "" {
		return nil, err
	}
	return Open(store, opt)
}

// Model is the name of what made the vectors.
func (ix *Index) Model() string { return ix.opt.Model }

// Reset removes all vectors from a store.
func Reset(store search.Store) error {
	return store.Update(func(tx search.Tx) error {
		for key, err := range tx.Keys([]byte{class}) {
			if err == nil {
				err = tx.Delete(slices.Clone(key))
			}
			if err != nil {
				return fmt.Errorf("remove vectors: %w", err)
			}
		}
		return nil
	})
}

// read takes the pages from the store, with the codes or without. A page that cannot be
// used is left out; the last page takes its place at the next Flush.
func (ix *Index) read(tx search.Tx, codes bool) error {
	ix.pages, ix.stored = nil, 0
	whole := true
	for key, err := range tx.Keys(pagesPrefix) {
		if err != nil {
			return err
		}
		n, ok := pageNumber(key)
		if !ok {
			continue
		}
		ix.stored = max(ix.stored, n+1)
		block, err := tx.Get(key)
		p := ix.parse(block)
		if err != nil || p == nil || n != len(ix.pages) {
			whole = false
			if err != nil || p == nil {
				continue
			}
		}
		if !codes && whole {
			p.codes = nil
		}
		p.dirty = !whole
		ix.pages = append(ix.pages, p)
	}
	if !whole && !codes { // pages move, so their codes are needed
		return ix.read(tx, true)
	}
	ix.loaded = codes
	if !whole {
		ix.closeGaps()
	}
	return nil
}

// closeGaps makes all pages but the last full again.
func (ix *Index) closeGaps() {
	old := ix.pages
	ix.pages = nil
	for _, p := range old {
		for i, s := range p.slots {
			ix.append(s, p.codesOf(i))
		}
	}
}

// load brings the codes of all pages into memory. The caller holds mu.
func (ix *Index) load() error {
	if ix.loaded {
		return nil
	}
	ix.center = center{}
	err := ix.store.View(func(tx search.Tx) error {
		own, err := ix.isOwn(tx)
		if err == nil && own {
			return ix.read(tx, true)
		}
		ix.pages, ix.stored, ix.loaded = nil, 0, true // another index has taken the store
		return err
	})
	if err != nil {
		return fmt.Errorf("read vectors: %w", err)
	}
	return nil
}

var errVector = errors.New("not a vector of this index")

// Put replaces the vectors of units, of which none is given twice. Each call scans
// all slots once, so put many units in one call. Only Flush writes to the store.
func (ix *Index) Put(entries ...Entry) error {
	replaced := make(map[key]bool, len(entries))
	for _, e := range entries {
		replaced[keyOf(e.Unit)] = true
		for _, v := range e.Vectors {
			if len(v.Numbers) != ix.opt.Dimensions || !isUnit(v.Numbers) {
				return fmt.Errorf("put vector: %w", errVector)
			}
		}
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if err := ix.load(); err != nil {
		return err
	}
	ix.drop(func(s slot) bool { return replaced[keyOf(s.unit)] })
	for _, e := range entries {
		for _, v := range e.Vectors {
			codes := make([]int8, ix.opt.Dimensions)
			ix.append(slot{unit: e.Unit, part: v.Part, scale: quantize(codes, v.Numbers)}, codes)
		}
		if len(e.Vectors) == 0 {
			ix.append(slot{unit: e.Unit}, make([]int8, ix.opt.Dimensions)) // known to have no text
		}
	}
	return nil
}

// Sync compares the index with the units that the vault has now. Vectors of units that it
// has no longer, or has written again, are dropped; units that have none are returned, in
// the order given.
func (ix *Index) Sync(units iter.Seq[search.Unit]) (missing []search.Unit, err error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	has := make(map[search.Unit]bool)
	for _, p := range ix.pages {
		for _, s := range p.slots {
			has[s.unit] = false
		}
	}
	dead := len(has)
	for u := range units {
		if _, ok := has[u]; ok {
			has[u] = true
			dead--
		} else {
			missing = append(missing, u)
		}
	}
	if dead > 0 {
		if err := ix.load(); err != nil {
			return nil, err
		}
		ix.drop(func(s slot) bool { return !has[s.unit] })
	}
	return missing, nil
}

// Flush stores what has changed, durably.
func (ix *Index) Flush() error {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	isDirty := func(p *page) bool { return p.dirty }
	if ix.stored == len(ix.pages) && !slices.ContainsFunc(ix.pages, isDirty) {
		return nil
	}
	err := ix.store.Update(func(tx search.Tx) error {
		if err := ix.putHeader(tx); err != nil {
			return err
		}
		for i, p := range ix.pages {
			if !p.dirty {
				continue
			}
			if err := tx.Put(pageKey(i), p.bytes()); err != nil {
				return err
			}
		}
		for i := len(ix.pages); i < ix.stored; i++ {
			if err := tx.Delete(pageKey(i)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("store vectors: %w", err)
	}
	for _, p := range ix.pages {
		p.dirty = false
	}
	ix.stored = len(ix.pages)
	return nil
}

// Count returns how many vectors there are.
func (ix *Index) Count() (n int) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	for _, p := range ix.pages {
		for _, s := range p.slots {
			if s.scale > 0 {
				n++
			}
		}
	}
	return n
}

// Version is another number after every change of the vectors.
func (ix *Index) Version() uint64 {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	return ix.version
}

// ByRecord returns the vectors of all records of a kind that have one, by their numbers in
// the vault; of a record with several, one of them.
func (ix *Index) ByRecord(kind search.Kind) (map[uint64]Code, error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if err := ix.load(); err != nil {
		return nil, err
	}
	all := make(map[uint64]Code)
	for _, p := range ix.pages {
		for i, s := range p.slots {
			if s.unit.Kind == kind && s.scale > 0 {
				all[s.unit.Seq] = Code{slices.Clone(p.codesOf(i)), s.scale}
			}
		}
	}
	return all, nil
}

// Vectors returns the vectors of a unit, nil if it has none, or was written again since it
// got them.
func (ix *Index) Vectors(unit search.Unit) (out []Vector, err error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if err := ix.load(); err != nil {
		return nil, err
	}
	for _, p := range ix.pages {
		for i, s := range p.slots {
			if s.unit == unit && s.scale > 0 {
				out = append(out, Vector{Part: s.part, Numbers: ofLength1(p.numbers(i))})
			}
		}
	}
	return out, nil
}

// append adds a slot behind the last. The caller holds mu, and the codes are loaded.
func (ix *Index) append(s slot, codes []int8) {
	if len(ix.pages) == 0 || len(ix.last().slots) == ix.size {
		ix.pages = append(ix.pages, ix.newPage())
	}
	p := ix.last()
	p.slots, p.codes, p.dirty = append(p.slots, s), append(p.codes, codes...), true
	ix.version++
	ix.center.add(p, len(p.slots)-1)
}

func (ix *Index) last() *page { return ix.pages[len(ix.pages)-1] }

// drop removes slots; the last ones take their places. The caller holds mu, and the codes
// are loaded.
func (ix *Index) drop(gone func(slot) bool) {
	for n, p := range ix.pages {
		for i := 0; n < len(ix.pages) && i < len(p.slots); {
			if !gone(p.slots[i]) {
				i++
				continue
			}
			last := ix.last()
			ix.center.moved++
			ix.version++
			p.take(i, last, len(last.slots)-1)
			if last.cut(); len(last.slots) == 0 {
				ix.pages = ix.pages[:len(ix.pages)-1]
			}
		}
	}
}
