package search

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
