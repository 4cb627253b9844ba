package search

import "slices"

// state is one segment in one search.
type state struct {
	s      *search
	at     int // of the view
	v      view
	sets   map[*word]bitset
	scores []float32
	sure   bitset // found without reading
	maybe  bitset // found if their text says so
}

// segment finds and ranks the documents of one segment.
func (s *search) segment(rd *reader, at int) error {
	st := &state{s: s, at: at, v: s.views[at], sets: map[*word]bitset{}}
	if st.v.t.docs() == 0 || !st.possible(s.query.root) {
		return nil
	}
	st.scores = make([]float32, st.v.t.docs())
	var list postings
	for _, w := range s.words {
		if err := st.read(rd, w, &list); err != nil {
			return err
		}
	}
	within := st.wanted()
	found := st.eval(s.query.root, within, true)
	if s.floor > 0 {
		found = st.atLeast(s.floor, found)
	}
	st.sure = found
	if s.opt.Text != nil && hasPhrase(s.query.root) {
		st.sure = st.eval(s.query.root, found, false)
		if st.maybe = found.minus(st.sure); !st.maybe.empty() {
			s.states = append(s.states, st)
		}
	} else if hasPhrase(s.query.root) && !found.empty() {
		s.partial = true
	}
	s.total += st.sure.count()
	s.best.offerAll(st, st.sure)
	return nil
}

// precedence is that of one document.
func (st *state) precedence(doc uint32) precedence {
	c := precedenceCursor{t: &st.v.t, row: -1, run: -1}
	return c.of(doc)
}

// atLeast is the documents that score no less.
func (st *state) atLeast(floor float32, of bitset) bitset {
	out := make(bitset, len(of))
	of.each(func(doc uint32) bool {
		if st.scores[doc] >= floor {
			out.set(doc)
		}
		return true
	})
	return out
}

func hasPhrase(n *node) bool {
	return n.contains(func(n *node) bool { return n.op == opPhrase })
}

// possible reports whether the segment has the terms it would need.
func (st *state) possible(n *node) bool {
	switch n.op {
	case opWord, opPhrase:
		return st.s.leaves[n].isIn(func(w *word) bool { return len(w.entries[st.at]) > 0 })
	case opAnd:
		return all(n.kids, st.possible)
	case opOr:
		return slices.ContainsFunc(n.kids, st.possible)
	}
	return true
}

// isIn reports that all words are, or one that stands in for them.
func (l *leaf) isIn(is func(*word) bool) bool {
	return l.either != nil && is(l.either) || all(l.all, is)
}

// all reports that every element passes a test.
func all[T any](list []T, is func(T) bool) bool {
	return !slices.ContainsFunc(list, func(x T) bool { return !is(x) })
}

// wanted is the documents that are not in a tomb, of a kind asked for and accepted.
func (st *state) wanted() bitset {
	set := st.v.t.alive(st.v.dead)
	if len(st.s.opt.Kinds) == 0 && st.s.opt.Accept == nil {
		return set
	}
	for row := range st.v.t.units {
		if !st.s.wants(st.v.t.units[row]) {
			set.clearRange(st.v.t.span(row))
		}
	}
	return set
}

// read makes the set of documents that hold a word, and adds to their scores.
func (st *state) read(rd *reader, w *word, list *postings) error {
	set := newBitset(st.v.t.docs())
	st.sets[w] = set
	entries := w.entries[st.at]
	var sum []uint32 // how often, when several terms count as one
	if len(entries) > 1 && w.scored {
		sum = make([]uint32, st.v.t.docs())
	}
	for _, e := range entries {
		if err := st.v.seg.terms.read(rd, e, st.v.t.docs(), list); err != nil {
			return err
		}
		for i, doc := range list.docs {
			set.set(doc)
			if sum != nil {
				sum[doc] += list.tfs[i]
			}
		}
	}
	if !w.scored || len(entries) == 0 {
		return nil
	}
	k := st.s.saturation()
	if sum == nil {
		for i, doc := range list.docs {
			st.scores[doc] += bm25(w.weight, list.tfs[i], k[st.v.t.norms[doc]])
		}
		return nil
	}
	set.each(func(doc uint32) bool {
		st.scores[doc] += bm25(w.weight, sum[doc], k[st.v.t.norms[doc]])
		return true
	})
	return nil
}

// eval is the documents of within that answer n. What phrases only their text
// can tell counts as hopeful says.
func (st *state) eval(n *node, within bitset, hopeful bool) bitset {
	switch n.op {
	case opWord, opPhrase:
		if n.op == opPhrase && !hopeful {
			return make(bitset, len(within))
		}
		return st.words(n, within)
	case opNot:
		return within.minus(st.eval(n.kids[0], within, !hopeful))
	case opOr:
		out := make(bitset, len(within))
		for _, kid := range n.kids {
			out = out.or(st.eval(kid, within, hopeful))
		}
		return out
	case opAnd: // filters last: they are asked document by document
		for _, filters := range []bool{false, true} {
			for _, kid := range n.kids {
				if asksFilters(kid) == filters {
					within = st.eval(kid, within, hopeful)
				}
			}
		}
		return within
	}
	return st.filter(n, within)
}

func asksFilters(n *node) bool {
	return n.contains(func(n *node) bool { return n.op == opField })
}

func (st *state) words(n *node, within bitset) bitset {
	l := st.s.leaves[n]
	out := within
	for _, w := range l.all {
		out = out.and(st.sets[w])
	}
	if l.either != nil {
		out = out.or(within.and(st.sets[l.either]))
	}
	return out
}

func (st *state) filter(n *node, within bitset) bitset {
	out := make(bitset, len(within))
	test := st.s.fields[n]
	row, end := -1, uint32(0)
	within.each(func(doc uint32) bool {
		if doc == end && row >= 0 && row+1 < len(st.v.t.units) { // likely the next one
			row++
			_, end = st.v.t.span(row)
		}
		if doc >= end {
			row = st.v.t.rowOf(doc)
			_, end = st.v.t.span(row)
		}
		u := &st.v.t.units[row]
		if test(u.kind, u.seq, st.v.t.part(doc, row), st.v.t.time(doc)) {
			out.set(doc)
		}
		return true
	})
	return out
}

// holds tells of one document whether it answers n, given which phrases stand in
// its text.
func (st *state) holds(n *node, doc uint32, phrases map[*node]bool) bool {
	switch n.op {
	case opPhrase:
		return phrases[n]
	case opWord:
		return st.s.leaves[n].isIn(func(w *word) bool { return st.sets[w].has(doc) })
	case opNot:
		return !st.holds(n.kids[0], doc, phrases)
	case opOr:
		return slices.ContainsFunc(n.kids, func(kid *node) bool { return st.holds(kid, doc, phrases) })
	case opAnd:
		return all(n.kids, func(kid *node) bool { return st.holds(kid, doc, phrases) })
	}
	row := st.v.t.rowOf(doc)
	u := &st.v.t.units[row]
	return st.s.fields[n](u.kind, u.seq, st.v.t.part(doc, row), st.v.t.time(doc))
}
