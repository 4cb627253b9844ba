package search

import "slices"

// Narrow is the query with one more filter that documents must pass, beside
// whatever was typed: one of the values, as Options.Field or the index knows
// them. The name need not be one that people can type. No value, no filter.
func (q Query) Narrow(field string, values ...string) Query {
	if len(values) == 0 {
		return q
	}
	filter := &node{op: opField, field: field, values: values}
	if q.root == nil {
		q.root = filter
		return q
	}
	q.root = &node{op: opAnd, kids: []*node{q.root, filter}}
	return q
}

// Without is the query of which no document with the value is an answer. An
// empty query stays empty.
func (q Query) Without(field, value string) Query {
	if q.root == nil {
		return q
	}
	q.root = &node{op: opAnd, kids: []*node{q.root, {op: opNot, kids: []*node{{op: opField, field: field, values: []string{value}}}}}}
	return q
}

// Affirmed is the query without what it excludes: it finds what q finds, and more.
func (q Query) Affirmed() Query {
	if q.root != nil {
		q.root = q.root.affirmed()
	}
	return q
}

func (n *node) affirmed() *node {
	if n.op == opNot {
		return &node{op: opAnd} // of nothing: every document
	}
	if len(n.kids) == 0 {
		return n
	}
	out := *n
	out.kids = nil
	for _, kid := range n.kids {
		out.kids = append(out.kids, kid.affirmed())
	}
	return &out
}

// Asks reports whether the query has a filter of that name.
func (q Query) Asks(field string) bool {
	return q.root != nil && q.root.contains(func(n *node) bool { return n.op == opField && n.field == field })
}

// contains reports a node that passes a test: n, or one below it.
func (n *node) contains(is func(*node) bool) bool {
	return is(n) || slices.ContainsFunc(n.kids, func(kid *node) bool { return kid.contains(is) })
}
