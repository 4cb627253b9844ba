package search

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"sync"
)

// verify reads the texts of documents that phrases hang on, the newest units
// first, in two goroutines. After opt.Verify of them it stops once there is a page.
func (s *search) verify() error {
	groups := s.groups()
	if len(groups) == 0 {
		return nil
	}
	queue := make(chan group)
	errs := make(chan error, verifiers)
	var done sync.WaitGroup
	for range verifiers {
		done.Go(func() {
			v := newVerifier(s)
			for g := range queue {
				if err := v.group(g); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	var failed error
	read := 0
feed:
	for _, g := range groups {
		if s.opt.Verify > 0 && read >= s.opt.Verify && s.isFull() {
			s.partial = true
			break
		}
		read += len(g.docs)
		select {
		case queue <- g:
		case failed = <-errs:
			break feed
		}
	}
	close(queue)
	done.Wait()
	close(errs)
	return cmp.Or(failed, <-errs)
}

// isFull reports a page of documents that were found.
func (s *search) isFull() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total >= s.opt.Offset+s.opt.Limit
}

// verifiers is how many texts are read at a time.
const verifiers = 2

// mostTogether bounds the documents of a group, so that a unit of many can be left
// in the middle.
const mostTogether = 1000

// group is the documents of one unit, in order.
type group struct {
	st   *state
	row  int
	docs []uint32
	time int64 // of the newest
}

// groups are the documents to be read: memories, then the newest first.
func (s *search) groups() (groups []group) {
	for _, st := range s.states {
		end := uint32(0)
		st.maybe.each(func(doc uint32) bool {
			if doc >= end {
				row := st.v.t.rowOf(doc)
				_, end = st.v.t.span(row)
				groups = append(groups, group{st: st, row: row})
			} else if last := groups[len(groups)-1]; len(last.docs) == mostTogether {
				groups = append(groups, group{st: st, row: last.row})
			}
			g := &groups[len(groups)-1]
			g.docs = append(g.docs, doc)
			g.time = max(g.time, st.v.t.time(doc))
			return true
		})
	}
	slices.SortStableFunc(groups, func(a, b group) int {
		return cmp.Or(cmp.Compare(a.kind(), b.kind()), cmp.Compare(b.time, a.time))
	})
	return groups
}

func (g group) kind() Kind { return g.st.v.t.units[g.row].kind }

// verifier reads texts in one goroutine.
type verifier struct {
	s      *search
	scan   *scanner
	finder *finder
}

func newVerifier(s *search) *verifier {
	v := &verifier{s: s, scan: newScanner(), finder: &finder{}}
	v.finder.collect(s.query.root)
	return v
}

func (v *verifier) group(g group) error {
	u := &g.st.v.t.units[g.row]
	for _, doc := range g.docs {
		if err := v.s.ctx.Err(); err != nil {
			return err
		}
		text, err := v.s.opt.Text(v.s.ctx, u.kind, u.seq, g.st.v.t.part(doc, g.row))
		if err != nil {
			return err
		}
		if text != "" && g.st.holds(v.s.query.root, doc, v.finder.find(v.scan, text)) {
			v.s.found(g.st, doc)
		}
	}
	return nil
}

// found takes a document whose text was read.
func (s *search) found(st *state, doc uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total++
	r := ranked{st.precedence(doc), st.scores[doc], st.v.t.time(doc), st.at, doc}
	s.best.offer(r)
	s.tell(r)
}

// tell says of documents that they were found.
func (s *search) tell(found ...ranked) {
	for _, r := range found {
		if s.streamed++; s.opt.Each != nil && s.streamed <= s.opt.Offset+s.opt.Limit {
			s.opt.Each(s.best.hit(r))
		}
	}
}

// finder looks for all phrases of a query in a text at once.
type finder struct {
	phrases []*matcher
	scan    *scanner
	left    int
}

// matcher follows one phrase through a text: bit i of state says that the words
// up to element i have just been seen.
type matcher struct {
	n     *node
	seq   []element
	keys  []key // of seq, where all of it is short
	state []uint64
	found bool
}

func newMatcher(n *node, seq []element) *matcher {
	m := &matcher{n: n, seq: seq, state: make([]uint64, (len(seq)+63)/64)}
	for _, e := range seq {
		if e.lead || e.prefix || len(e.term) > shortTerm {
			m.keys = nil
			break
		}
		m.keys = append(m.keys, keyOf([]byte(e.term)))
	}
	return m
}

// step takes the next word and reports that the phrase ends with it.
func (m *matcher) step(t *token) bool {
	return m.advance(func(at int) bool { return m.seq[at].matches(t) })
}

// advance is step for a word of which is tells whether it is that of an element.
func (m *matcher) advance(is func(at int) bool) bool {
	carry := uint64(1)
	for i, w := range m.state {
		next := w<<1 | carry
		carry = w >> 63
		for rest := next; rest != 0; rest &= rest - 1 {
			if at := i*64 + bits.TrailingZeros64(rest); at >= len(m.seq) || !is(at) {
				next &^= 1 << (at % 64)
			}
		}
		m.state[i] = next
	}
	last := len(m.seq) - 1
	return m.state[last/64]>>(last%64)&1 == 1
}

func (f *finder) collect(n *node) {
	if n.op == opPhrase {
		f.phrases = append(f.phrases, newMatcher(n, n.seq))
	}
	for _, kid := range n.kids {
		f.collect(kid)
	}
}

// find says which phrases stand in the indexed part of a text.
func (f *finder) find(scan *scanner, text string) map[*node]bool {
	var out sink = f
	if f.isPlain() {
		out = plainFinder{f}
	}
	for _, m := range f.phrases {
		m.found = false
	}
	f.scan, f.left = scan, len(f.phrases)
	for part := range strings.SplitSeq(head(text), Break) {
		for _, m := range f.phrases {
			clear(m.state)
		}
		if scan.scan(part, out); f.left == 0 {
			break
		}
	}
	found := make(map[*node]bool, len(f.phrases))
	for _, m := range f.phrases {
		found[m.n] = m.found
	}
	return found
}

func (f *finder) isPlain() bool {
	return !slices.ContainsFunc(f.phrases, func(m *matcher) bool { return m.keys == nil })
}

// token takes one word from the scanner.
func (f *finder) token(t *token) {
	if t.extra {
		return
	}
	for _, m := range f.phrases {
		if !m.found && m.step(t) {
			f.met(m)
		}
	}
}

func (f *finder) met(m *matcher) {
	m.found = true
	f.left--
	f.scan.stop = f.left == 0
}

// plainFinder is a finder of phrases of short words, which it takes as their keys.
type plainFinder struct{ *finder }

func (f plainFinder) short(k key, _ int) {
	for _, m := range f.phrases {
		switch {
		case m.found:
		case len(m.state) == 1 && m.state[0] == 0 && m.keys[0] != k: // most words
		case m.advance(func(at int) bool { return m.keys[at] == k }):
			f.met(m)
		}
	}
}
