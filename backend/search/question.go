package search

import (
	"slices"
	"strings"
	"time"
)

// Question is what a query asks for in words, to be compared by meaning: its words in their
// order, without filters. It is "" where the words themselves matter: there are phrases,
// alternatives or beginnings of words among them, or some are excluded.
func (q Query) Question() string {
	var words []string
	if q.root == nil || !q.root.ask(&words) {
		return ""
	}
	return strings.Join(words, " ")
}

// ask collects the words below n; false where they are more than words side by side.
func (n *node) ask(words *[]string) bool {
	switch n.op {
	case opField:
		return true
	case opNot:
		return !n.contains(func(n *node) bool { return n.op != opField && n.op != opNot })
	case opWord, opPhrase:
		*words = append(*words, n.typed)
		return !n.quoted && !slices.ContainsFunc(n.atoms, func(a atom) bool { return a.prefix })
	case opAnd:
		return !slices.ContainsFunc(n.kids, func(kid *node) bool { return !kid.ask(words) })
	}
	return false
}

// Any is the query for documents that have at least one of the words, and pass the filters.
func (q Query) Any() Query {
	var words, rest []*node
	if q.root != nil {
		q.root.part(&words, &rest)
	}
	if len(words) > 0 {
		rest = append(rest, join(opOr, words))
	}
	q.root = join(opAnd, rest)
	return q
}

// part sorts what is asked for side by side into words and the rest.
func (n *node) part(words, rest *[]*node) {
	switch n.op {
	case opAnd:
		for _, kid := range n.kids {
			kid.part(words, rest)
		}
	case opWord, opPhrase:
		*words = append(*words, n)
	default:
		*rest = append(*rest, n)
	}
}

// Filter returns what tells whether a document passes the filters of a query, whatever its
// words; nil if there are none. It answers as a search with these options does.
func (ix *Index) Filter(q Query, location *time.Location) (func(kind Kind, seq uint64, part uint32, at int64) bool, error) {
	if q.root == nil || !q.root.contains(func(n *node) bool { return n.op == opField }) {
		return nil, nil
	}
	if location == nil {
		location = time.UTC
	}
	s := &search{opt: SearchOptions{Location: location}}
	if err := s.predicates(q.root, ix.opt); err != nil {
		return nil, err
	}
	return s.passes(q.root), nil
}

// passes makes one predicate of the filters below n; words pass.
func (s *search) passes(n *node) predicate {
	if n.op == opField {
		return s.fields[n]
	}
	if !n.contains(func(n *node) bool { return n.op == opField }) {
		return func(Kind, uint64, uint32, int64) bool { return true }
	}
	var kids []predicate
	for _, kid := range n.kids {
		kids = append(kids, s.passes(kid))
	}
	return func(kind Kind, seq uint64, part uint32, at int64) bool {
		passes := func(p predicate) bool { return p(kind, seq, part, at) }
		switch n.op {
		case opNot:
			return !passes(kids[0])
		case opOr:
			return slices.ContainsFunc(kids, passes)
		}
		return !slices.ContainsFunc(kids, func(p predicate) bool { return !passes(p) })
	}
}
