package search

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"sync"
	"sync/atomic"
)

// Options of an index. The zero value is usable.
type Options struct {
	// Field answers a filter such as platform:claude: it returns what tells
	// whether a document passes. It is called once for each filter of a search;
	// what it returns is called from up to two goroutines, within Store.View. A value that it does
	// not know is its error, which Search returns as it is. The filters in,
	// before, since, after, until and date are answered by the index itself.
	Field func(name, value string) (func(kind Kind, seq uint64, part uint32, time int64) bool, error)

	LiveBytes int // memory of the live segment before it is written, 0: 32 MB, 512 MB at most
	LiveUnits int // units in it before it is written, if it has an eighth of LiveBytes; 0: 1,000
	MergeAt   int // segments of about one size that are merged into one, 0: 8
}

// mostLive keeps the numbers of terms and documents of a live segment within
// slot and maxPosting.
const mostLive = 512 << 20

func (o Options) withDefaults() Options {
	if o.LiveBytes <= 0 {
		o.LiveBytes = 32 << 20
	}
	o.LiveBytes = min(o.LiveBytes, mostLive)
	if o.LiveUnits <= 0 {
		o.LiveUnits = 1000
	}
	if o.MergeAt < 2 {
		o.MergeAt = 8
	}
	return o
}

// ErrUnsynced is Search before the first Sync: nobody has yet said which units
// the vault still has.
var ErrUnsynced = errors.New("search index not compared with its vault yet")

// Index answers searches. All its methods may be called at any time from any
// goroutine.
type Index struct {
	store  Store
	opt    Options
	nextID atomic.Uint64

	writing sync.Mutex // one of Put, Drop, Sync, Flush at a time, and a merge's last step
	stamp   uint32
	live    *live
	frozen  *segment // was live, and is not in the store yet

	merging sync.Mutex // one Merge at a time

	mu     sync.RWMutex // guards what follows, and what may change in segments
	segs   []*segment   // the live one last; replaced as a whole
	junk   []*segment   // merged away; their blocks go when no search is in them
	synced bool
}

// Open reads the headers of the segments, and sweeps away what a crash left
// half written. An error that is ErrDamaged calls for Reset.
func Open(ctx context.Context, store Store, opt Options) (*Index, error) {
	ix := &Index{store: store, opt: opt.withDefaults()}
	var junk []uint64
	err := store.View(func(tx Tx) error {
		var err error
		if junk, err = segmentIDs(tx, classJunk); err != nil {
			return err
		}
		return ix.load(ctx, tx)
	})
	if err != nil {
		return nil, fmt.Errorf("open search index: %w", err)
	}
	for _, id := range junk {
		ix.taken(id)
		if err := sweep(store, id); err != nil {
			return nil, fmt.Errorf("open search index: %w", err)
		}
	}
	ix.live = newLive()
	ix.segs = append(ix.segs, ix.live.segment)
	return ix, nil
}

func (ix *Index) load(ctx context.Context, tx Tx) error {
	ids, err := segmentIDs(tx, classRoot)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return err
		}
		s, err := openSegment(tx, id)
		if err != nil {
			return err
		}
		for i := range s.units {
			ix.stamp = max(ix.stamp, s.units[i].stamp)
		}
		ix.taken(id)
		ix.segs = append(ix.segs, s)
	}
	return nil
}

// taken keeps id from being given to another segment.
func (ix *Index) taken(id uint64) {
	if id > ix.nextID.Load() {
		ix.nextID.Store(id)
	}
}

// segmentIDs lists the segments that have a key of this class.
func segmentIDs(tx Tx, class byte) (ids []uint64, err error) {
	for key, err := range tx.Keys([]byte{class}) {
		if err != nil {
			return nil, fmt.Errorf("list index keys: %w", err)
		}
		id, ok := segmentOf(key)
		if !ok || id == math.MaxUint64 {
			return nil, damaged("a key of no segment")
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// Put indexes a unit, in place of what the index had of it. The unit is found
// from the moment Put returns, and not in part before. Documents come in the
// order of their parts. When the store refuses a segment that Put had to write,
// Put says so and the unit must be put again; what was put before stays
// searchable and is written with the next call. While docs are read no other
// unit can be put; reading them must not call Put, Drop, Sync or Flush.
func (ix *Index) Put(u Unit, docs iter.Seq[Doc]) error {
	ix.writing.Lock()
	defer ix.writing.Unlock()
	if _, err := ix.writeFrozen(context.Background()); err != nil {
		return fmt.Errorf("put unit: %w", err)
	}
	ix.stamp++
	p := &putting{ix: ix, unit: u}
	defer p.abandon()
	p.begin()
	for d := range docs {
		if ix.live.used() >= ix.opt.LiveBytes && ix.live.next.docs() > 0 {
			if err := p.split(); err != nil {
				return fmt.Errorf("put unit: %w", err)
			}
		}
		ix.live.add(d)
	}
	p.publish()
	if ix.live.full(ix.opt) {
		if _, err := ix.flush(context.Background()); err != nil {
			return fmt.Errorf("put unit: %w", err)
		}
	}
	return nil
}

// Drop takes a unit out of the index.
func (ix *Index) Drop(kind Kind, seq uint64) {
	ix.writing.Lock()
	defer ix.writing.Unlock()
	places := ix.find(unitKey{kind, seq})
	ix.mu.Lock()
	defer ix.mu.Unlock()
	for _, p := range places {
		p.seg.dead = p.seg.dead.with(&p.seg.tables, p.row)
	}
}

// Flush writes the live segment to the store.
func (ix *Index) Flush(ctx context.Context) error {
	ix.writing.Lock()
	defer ix.writing.Unlock()
	if _, err := ix.flush(ctx); err != nil {
		return fmt.Errorf("flush search index: %w", err)
	}
	return nil
}

// place is a row of a segment.
type place struct {
	seg *segment
	row int
}

// find returns where a unit stands. Under writing, which keeps segs as it is.
func (ix *Index) find(k unitKey) (places []place) {
	for _, s := range ix.segs {
		for _, row := range s.find(k) {
			places = append(places, place{s, row})
		}
	}
	return places
}

// flush makes the live segment a sealed one, and returns it. Under writing.
func (ix *Index) flush(ctx context.Context) (*segment, error) {
	if s, err := ix.writeFrozen(ctx); err != nil || len(ix.live.next.units) == 0 {
		return s, err
	}
	ix.mu.Lock()
	ix.frozen, ix.live = ix.live.segment, newLive()
	ix.segs = append(slices.Clone(ix.segs), ix.live.segment)
	ix.mu.Unlock()
	return ix.writeFrozen(ctx)
}

// writeFrozen stores the segment that was live before, if there is one that is
// not stored yet. Searches go on in the one in memory until it is.
func (ix *Index) writeFrozen(ctx context.Context) (*segment, error) {
	old := ix.frozen
	if old == nil {
		return nil, nil
	}
	sealed, err := ix.seal(ctx, old)
	if err != nil {
		return nil, err
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	sealed.dead, sealed.pending = old.dead, old.pending
	ix.frozen = nil
	ix.segs = replace(ix.segs, []*segment{old}, sealed)
	return sealed, nil
}

// seal writes a segment in memory to the store.
func (ix *Index) seal(ctx context.Context, s *segment) (*segment, error) {
	b := s.terms.(*builder)
	w := newWriter(ix.store, ix.nextID.Add(1))
	var term, data []byte
	terms := b.sorted()
	for i, t := range terms {
		if i%batch == 0 {
			b.touch(terms[i:min(i+batch, len(terms))])
		}
		term, data = b.term(term[:0], t.id), b.bytes(data[:0], t.id)
		w.add(term, b.row(t.id).df, data)
		if i%4096 == 0 && ctx.Err() != nil {
			return nil, w.giveUp(ctx.Err())
		}
		if w.full() {
			if err := w.flush(); err != nil {
				return nil, w.giveUp(err)
			}
		}
	}
	sealed, err := w.finish(&s.tables)
	if err != nil {
		return nil, w.giveUp(err)
	}
	return sealed, nil
}

// giveUp sweeps what was written, as far as the store lets it; the next Open
// does the rest.
func (w *writer) giveUp(err error) error {
	if w.begun {
		return errors.Join(err, sweep(w.store, w.id))
	}
	return err
}

// replace is segs with s in place of old; nil s is nothing.
func replace(segs, old []*segment, s *segment) []*segment {
	out := make([]*segment, 0, len(segs))
	for _, have := range segs {
		if !slices.Contains(old, have) {
			out = append(out, have)
		} else if have == old[0] && s != nil {
			out = append(out, s)
		}
	}
	return out
}

// Stats is what an index holds.
type Stats struct {
	Docs, DeadDocs int    // documents that can be found; documents in tombs
	Units          int    // units that can be found
	Segments       int    // in the store
	Bytes          uint64 // of their blocks
	LiveDocs       int    // documents that are in memory only
	LiveBytes      int    // and the memory their words take, about
	Cut            int    // units with a text beyond MaxText, of which the rest is not indexed
}

// Stats counts what the index holds.
func (ix *Index) Stats() Stats {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	var st Stats
	for _, s := range ix.segs {
		st.Docs += int(s.docs() - s.dead.count())
		st.DeadDocs += int(s.dead.count())
		st.Bytes += s.size
		st.addUnits(s)
		if b, ok := s.terms.(*builder); ok {
			st.LiveDocs += int(s.docs())
			b.mu.RLock()
			st.LiveBytes += b.used()
			b.mu.RUnlock()
		} else {
			st.Segments++
		}
	}
	return st
}

func (st *Stats) addUnits(s *segment) {
	for row := range s.units {
		if s.dead.has(row) {
			continue
		}
		if s.units[row].last() {
			st.Units++
		}
		if s.units[row].piece&cutText != 0 {
			st.Cut++
		}
	}
}
