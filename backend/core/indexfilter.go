package core

import (
	"slices"
	"strconv"

	"keepsake/backend/fault"
	"keepsake/backend/format/personal"
	"keepsake/backend/memory"
	"keepsake/backend/search"
)

// rowField answers the filters of a query that are about rows.
func rowField(r *rows, name, value string) (func(kind search.Kind, seq uint64, part uint32, at int64) bool, error) {
	if name == sinceSecond || name == untilSecond {
		return secondFilter(name, value)
	}
	fits, err := rowFilter(r, name, value)
	if err != nil {
		return nil, err
	}
	return func(kind search.Kind, seq uint64, _ uint32, _ int64) bool {
		r.mu.RLock()
		defer r.mu.RUnlock()
		if kind == search.Memory {
			row := r.memories.bySeq.at(seq)
			return row != nil && fits(row, r.conversation(row.conversation))
		}
		row := r.conversations.bySeq.at(seq)
		return row != nil && fits(nil, row)
	}, nil
}

func secondFilter(name, value string) (func(search.Kind, uint64, uint32, int64) bool, error) {
	second, err := strconv.ParseInt(value, 10, 64)
	return func(_ search.Kind, _ uint64, _ uint32, at int64) bool {
		return at != 0 && (name == sinceSecond && at >= second || name == untilSecond && at < second)
	}, err
}

// rowFilter judges a memory by itself and the conversation it came from, and a
// message by its conversation; what is not there is nil. The lock is held.
func rowFilter(r *rows, name, value string) (func(*memoryRow, *conversationEntry) bool, error) {
	want := fold(value)
	switch name {
	case "type":
		return func(m *memoryRow, _ *conversationEntry) bool { return m != nil && fold(string(m.kind)) == want }, nil
	case "category":
		if !slices.Contains(Categories(), Category(want)) {
			return nil, fault.New(fault.Invalid, "search-value", "The filter {field} takes one of these: {allowed}.").
				With("field", name).With("allowed", "conversation, work_pattern, preference, learned_context")
		}
		return func(m *memoryRow, _ *conversationEntry) bool {
			return m != nil && m.category() == Category(want) || m == nil && want == string(personal.Conversation)
		}, nil
	case "status":
		return func(m *memoryRow, _ *conversationEntry) bool { return m != nil && fold(string(m.status)) == want }, nil
	case "tag":
		tagged := hasTag(value)
		return func(m *memoryRow, _ *conversationEntry) bool { return m != nil && tagged(m) }, nil
	case "platform":
		return func(m *memoryRow, c *conversationEntry) bool {
			return m != nil && m.isFrom(want) || m == nil && r.words.text(c.platform) == want
		}, nil
	case "project":
		tagged := hasTag(value)
		return func(m *memoryRow, c *conversationEntry) bool {
			return c != nil && fold(r.words.text(c.project)) == want || m != nil && m.kind == memory.Project && tagged(m)
		}, nil
	}
	return nil, fault.New(fault.Invalid, "unknown-filter", "There is no filter called {name}.").With("name", shortID(name)).
		Advise("Filters are type, category, status, tag, platform, project, in, before, after, since, until and date.")
}
