package search

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
)

// Merge does one step of tidying: it makes one segment of several of about one
// size, or writes one again that is a third tombs. It reports whether it did
// something; call it until it did not. Searches and Put go on meanwhile. It
// keeps one block of each segment and the tables of the new one in memory.
func (ix *Index) Merge(ctx context.Context) (bool, error) {
	ix.merging.Lock()
	defer ix.merging.Unlock()
	return ix.mergeOne(ctx, ix.pick)
}

// Purge leaves no word of a dropped unit in the store: it writes every segment
// again that has tombs. What stands in memory goes to the store first.
func (ix *Index) Purge(ctx context.Context) error {
	if err := ix.Flush(ctx); err != nil {
		return err
	}
	ix.merging.Lock()
	defer ix.merging.Unlock()
	for more := true; more; {
		var err error
		if more, err = ix.mergeOne(ctx, pickTombs); err != nil {
			return err
		}
	}
	return nil
}

func (ix *Index) mergeOne(ctx context.Context, pick func([]view) []view) (bool, error) {
	if err := ix.sweepMerged(); err != nil {
		return false, fmt.Errorf("merge segments: %w", err)
	}
	in := pick(ix.mergeable())
	if len(in) == 0 {
		return false, nil
	}
	if err := ix.merge(ctx, in); err != nil {
		return false, fmt.Errorf("merge segments: %w", err)
	}
	if err := ix.sweepMerged(); err != nil {
		return true, fmt.Errorf("merge segments: %w", err)
	}
	return true, nil
}

// view is a segment at one moment.
type view struct {
	seg  *segment
	t    tables
	dead *tombs
}

// mergeable are the sealed segments with no Put at work in them.
func (ix *Index) mergeable() (views []view) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	for _, s := range ix.segs {
		if s.live == nil && !s.pending {
			views = append(views, view{s, s.tables, s.dead})
		}
	}
	return views
}

// pickTombs picks one segment that has tombs.
func pickTombs(views []view) []view {
	for _, v := range views {
		if v.dead != nil && v.dead.n > 0 {
			return []view{v}
		}
	}
	return nil
}

// Segments of a tier are of about one size: below smallest, then below eight
// times as much, and so on. Those of tier topTier are left alone, being large
// enough to search and too large to write again for little.
const (
	smallest = 2 << 20
	topTier  = 4
)

func tier(size uint64) int { return min((bits.Len64(size/smallest)+2)/3, topTier) }

// pick picks what Merge shall merge: segments that are a third tombs first, then
// the lowest tier that is full.
func (ix *Index) pick(views []view) []view {
	tiers := make([][]view, topTier+1)
	for _, v := range views {
		if v.dead != nil && (3*v.dead.docs > v.t.docs() || 3*v.dead.n > len(v.t.units)) {
			return []view{v}
		}
		t := tier(v.seg.size)
		tiers[t] = append(tiers[t], v)
	}
	for _, in := range tiers[:topTier] {
		if len(in) >= ix.opt.MergeAt {
			return in[:ix.opt.MergeAt]
		}
	}
	return nil
}

// merge makes one segment of in.
func (ix *Index) merge(ctx context.Context, in []view) error {
	m := &merger{in: in, w: newWriter(ix.store, ix.nextID.Add(1))}
	m.join()
	if len(m.t.units) == 0 {
		return ix.leaveOut(in)
	}
	if err := m.terms(ctx, ix.store); err != nil {
		return m.w.giveUp(err)
	}
	merged, err := m.w.finish(&m.t, func(tx Tx) error { return retire(tx, in) })
	if err != nil {
		return m.w.giveUp(err)
	}
	ix.adopt(in, merged, m)
	return nil
}

// leaveOut takes segments away of which nothing is left.
func (ix *Index) leaveOut(in []view) error {
	err := ix.store.Update(func(tx Tx) error { return retire(tx, in) })
	if err == nil {
		ix.adopt(in, nil, nil)
	}
	return err
}

// retire makes junk of merged segments.
func retire(tx Tx, in []view) error {
	for _, v := range in {
		if err := tx.Delete(segmentKey(classRoot, v.seg.id)); err != nil {
			return err
		}
		if err := putBlock(tx, segmentKey(classJunk, v.seg.id), nil); err != nil {
			return err
		}
	}
	return nil
}

// adopt puts the merged segment in place of what it is made of. Rows that fell
// meanwhile fall in it too.
func (ix *Index) adopt(in []view, merged *segment, m *merger) {
	ix.writing.Lock()
	defer ix.writing.Unlock()
	ix.mu.Lock()
	defer ix.mu.Unlock()
	old := make([]*segment, len(in))
	var fallen []int
	for i, v := range in {
		old[i] = v.seg
		for row := range v.t.units {
			if merged != nil && v.seg.dead.has(row) && !v.dead.has(row) {
				fallen = append(fallen, int(m.rows[i][row]))
			}
		}
	}
	if len(fallen) > 0 {
		merged.dead = merged.dead.with(&merged.tables, fallen...)
	}
	ix.segs = replace(ix.segs, old, merged)
	ix.junk = append(ix.junk, old...)
}

// sweepMerged deletes the blocks of merged segments in which no search is at
// work any more.
func (ix *Index) sweepMerged() error {
	ix.mu.Lock()
	var idle []*segment
	ix.junk = slices.DeleteFunc(ix.junk, func(s *segment) bool {
		free := s.refs.Load() == 0
		if free {
			idle = append(idle, s)
		}
		return free
	})
	ix.mu.Unlock()
	var failed error
	for _, s := range idle {
		if err := sweep(ix.store, s.id); err != nil {
			failed = errors.Join(failed, err)
			ix.mu.Lock()
			ix.junk = append(ix.junk, s)
			ix.mu.Unlock()
		}
	}
	return failed
}

// merger makes one segment of several.
type merger struct {
	in   []view
	w    *writer
	t    tables
	docs [][]uint32 // for each segment: the new number of each document, or gone
	rows [][]uint32 // and of each row

	heads []mergeHead // one for each segment that has terms left
	term  []byte
	list  postings
	data  []byte
}

const gone = 1<<32 - 1

// join makes the tables of the new segment, without what is in tombs.
func (m *merger) join() {
	for _, v := range m.in {
		docs, rows := make([]uint32, v.t.docs()), make([]uint32, len(v.t.units))
		for row := range v.t.units {
			from, to := v.t.span(row)
			if v.dead.has(row) {
				rows[row] = gone
				for doc := from; doc < to; doc++ {
					docs[doc] = gone
				}
				continue
			}
			rows[row] = uint32(len(m.t.units))
			m.row(&v.t, row, docs)
		}
		m.docs, m.rows = append(m.docs, docs), append(m.rows, rows)
	}
}

// row copies a row with its documents.
func (m *merger) row(t *tables, row int, docs []uint32) {
	u := t.units[row]
	from, to := t.span(row)
	first := m.t.docs()
	for doc := from; doc < to; doc++ {
		docs[doc] = m.t.docs()
		m.t.addDoc(Doc{Part: t.part(doc, row), Time: t.time(doc)}, first)
		m.t.setLength(docs[doc], t.norms[doc])
	}
	u.first = first
	m.t.units = append(m.t.units, u)
}

// mergeHead is where the merge stands in one segment.
type mergeHead struct {
	i int // of the segment
	c *cursor
}

// terms merges the dictionaries, in transactions: none reads and writes, since
// a store may not let go of pages that somebody reads.
func (m *merger) terms(ctx context.Context, store Store) error {
	for i, v := range m.in {
		m.heads = append(m.heads, mergeHead{i, v.seg.terms.(*sealed).seek("")})
	}
	started := false
	for len(m.heads) > 0 {
		err := store.View(func(tx Tx) error {
			rd := newReader(tx)
			if !started {
				started = true
				if err := m.start(rd); err != nil {
					return err
				}
			}
			return m.some(ctx, rd)
		})
		if err != nil {
			return err
		}
		if m.w.full() {
			if err := m.w.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *merger) start(rd *reader) error {
	all := m.heads
	m.heads = nil
	for _, h := range all {
		ok, err := h.c.next(rd)
		if err != nil {
			return err
		}
		if ok {
			m.heads = append(m.heads, h)
		}
	}
	return nil
}

// some merges terms until a transaction is full.
func (m *merger) some(ctx context.Context, rd *reader) error {
	for n := 0; len(m.heads) > 0 && !m.w.full(); n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := m.one(rd); err != nil {
			return err
		}
	}
	return nil
}

// one merges the next term. The heads stand in the order of their segments, so
// its documents come in order too.
func (m *merger) one(rd *reader) error {
	term := m.heads[0].c.term
	for _, h := range m.heads[1:] {
		if bytes.Compare(h.c.term, term) < 0 {
			term = h.c.term
		}
	}
	m.term = append(m.term[:0], term...) // next changes the cursor's
	term = m.term
	m.data = m.data[:0]
	last, df := uint32(0), uint32(0)
	left := m.heads[:0]
	for _, h := range m.heads {
		if bytes.Equal(h.c.term, term) {
			if err := h.c.s.read(rd, h.c.entry, uint32(len(m.docs[h.i])), &m.list); err != nil {
				return err
			}
			for k, doc := range m.list.docs {
				if to := m.docs[h.i][doc]; to != gone {
					m.data = appendPosting(m.data, to-last, m.list.tfs[k])
					last = to
					df++
				}
			}
			ok, err := h.c.next(rd)
			if err != nil {
				return err
			}
			if !ok {
				continue
			}
		}
		left = append(left, h)
	}
	m.heads = left
	if df > 0 {
		m.w.add(term, df, m.data)
	}
	return nil
}
