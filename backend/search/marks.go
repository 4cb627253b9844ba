package search

import (
	"slices"
	"strings"
)

// mark is a place in a text that answers a part of the query.
type mark struct {
	from, to int
	n        *node
}

// marker finds marks: words and phrases of a query that are not excluded.
type marker struct {
	scan  *scanner
	limit int

	exact    map[string]*node // by term
	prefixes []prefixed
	runs     []*matcher // phrases, and words of scripts without spaces

	spans  [][2]int // of the words with a place so far, the last ones
	marks  []mark
	single []mark // pairs of runs that were not found whole
	whole  map[*node]bool
}

type prefixed struct {
	term string
	n    *node
}

// find returns the marks of a text, in order of their beginnings, about limit of
// them.
func find(text string, q Query, limit int) []mark {
	if q.root == nil {
		return nil
	}
	m := &marker{scan: newScanner(), limit: limit, exact: map[string]*node{}, whole: map[*node]bool{}}
	m.collect(q.root, q.widened)
	if len(m.exact)+len(m.prefixes)+len(m.runs) == 0 {
		return nil
	}
	m.scan.scan(head(text), m)
	for _, s := range m.single {
		if !m.whole[s.n] {
			m.marks = append(m.marks, s)
		}
	}
	slices.SortStableFunc(m.marks, func(a, b mark) int { return a.from - b.from })
	return m.marks
}

func (m *marker) collect(n *node, widened map[string][]string) {
	switch n.op {
	case opNot, opField:
		return
	case opWord:
		switch a := n.atoms[0]; {
		case len(n.atoms) == 1 && a.prefix:
			m.prefixes = append(m.prefixes, prefixed{a.term, n})
		case len(n.atoms) == 1:
			m.exact[a.term] = n
		case n.seq != nil: // marked where its pairs stand in a row; in a text where they never do, one by one
			m.runs = append(m.runs, newMatcher(n, n.seq))
		}
		for _, term := range widened[n.typo] {
			m.exact[term] = n
		}
	case opPhrase:
		m.runs = append(m.runs, newMatcher(n, n.seq))
	}
	for _, kid := range n.kids {
		m.collect(kid, widened)
	}
}

// token takes one word from the scanner.
func (m *marker) token(t *token) {
	if n := m.exact[string(t.term)]; n != nil {
		m.marks = append(m.marks, mark{t.start, t.end, n})
	}
	for _, p := range m.prefixes {
		if len(t.term) >= len(p.term) && string(t.term[:len(p.term)]) == p.term {
			m.marks = append(m.marks, mark{t.start, t.marked(p.term), p.n})
		}
	}
	if !t.extra && len(m.runs) > 0 {
		m.inRuns(t)
	}
	m.scan.stop = len(m.marks)+len(m.single) >= m.limit
}

// marked is where a match with the beginning of t ends: of a pair, only the
// first character may be meant.
func (t *token) marked(prefix string) int {
	if t.lead > 0 && len(prefix) <= t.lead {
		return t.leadEnd
	}
	return t.end
}

func (m *marker) inRuns(t *token) {
	if n := len(m.spans); n > 0 && m.spans[n-1][1] <= t.start && strings.Contains(m.scan.text[m.spans[n-1][1]:t.start], Break) {
		for _, r := range m.runs {
			clear(r.state)
		}
	}
	m.spans = append(m.spans, [2]int{t.start, t.end})
	for _, r := range m.runs {
		m.pairs(t, r)
		if !r.step(t) {
			continue
		}
		end := t.end
		if r.seq[len(r.seq)-1].lead {
			end = t.leadEnd
		}
		m.whole[r.n] = true
		m.marks = append(m.marks, mark{m.spans[len(m.spans)-len(r.seq)][0], end, r.n})
	}
}

// pairs notes a word of a run by itself.
func (m *marker) pairs(t *token, r *matcher) {
	if r.n.op != opWord || m.whole[r.n] {
		return
	}
	for _, e := range r.seq {
		if e.matches(t) && (!e.lead || t.lead == 0) {
			m.single = append(m.single, mark{t.start, t.end, r.n})
			return
		}
	}
}
