package library

import (
	"slices"
	"strconv"

	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/format/personal"
	"keepsake/backend/memory"
	"keepsake/backend/search"
)

// RowFilter returns the predicate for a filter of a search query, such as type:fact. It
// looks at the record's row (list entry) or, for SinceSecond and UntilSecond, at the time
// of the document.
func RowFilter(r *rows.Rows, name, value string) (func(kind search.Kind, seq uint64, part uint32, at int64) bool, error) {
	if name == SinceSecond || name == UntilSecond {
		return secondFilter(name, value)
	}
	fits, err := rowFilter(r, name, value)
	if err != nil {
		return nil, err
	}
	return func(kind search.Kind, seq uint64, _ uint32, _ int64) bool {
		r.RLock()
		defer r.RUnlock()
		if kind == search.Memory {
			row := r.Memories.BySeq.At(seq)
			return row != nil && fits(row, r.Conversation(row.Conversation))
		}
		row := r.Conversations.BySeq.At(seq)
		return row != nil && fits(nil, row)
	}, nil
}

func secondFilter(name, value string) (func(search.Kind, uint64, uint32, int64) bool, error) {
	second, err := strconv.ParseInt(value, 10, 64)
	return func(_ search.Kind, _ uint64, _ uint32, at int64) bool {
		return at != 0 && (name == SinceSecond && at >= second || name == UntilSecond && at < second)
	}, err
}

// rowFilter returns the predicate of a filter. The predicate gets a memory and the
// conversation that the memory came from (nil if none), or, for a message, nil and the
// message's conversation. The caller of the predicate holds the lock of the rows.
func rowFilter(r *rows.Rows, name, value string) (func(*rows.Memory, *rows.ConversationEntry) bool, error) {
	want := Fold(value)
	switch name {
	case "type":
		return func(m *rows.Memory, _ *rows.ConversationEntry) bool { return m != nil && Fold(string(m.Kind)) == want }, nil
	case "category":
		if !slices.Contains(personal.Categories(), Category(want)) {
			return nil, fault.New(fault.Invalid, "search-value", "The filter {field} takes one of these: {allowed}.").
				With("field", name).With("allowed", "conversation, work_pattern, preference, learned_context")
		}
		return func(m *rows.Memory, _ *rows.ConversationEntry) bool {
			return m != nil && m.Category() == Category(want) || m == nil && want == string(personal.Conversation)
		}, nil
	case "status":
		return func(m *rows.Memory, _ *rows.ConversationEntry) bool {
			return m != nil && Fold(string(m.Status)) == want
		}, nil
	case "tag":
		tagged := hasTag(value)
		return func(m *rows.Memory, _ *rows.ConversationEntry) bool { return m != nil && tagged(m) }, nil
	case "platform":
		return func(m *rows.Memory, c *rows.ConversationEntry) bool {
			return m != nil && m.IsFrom(want) || m == nil && r.Words.Text(c.Platform) == want
		}, nil
	case "project":
		tagged := hasTag(value)
		return func(m *rows.Memory, c *rows.ConversationEntry) bool {
			return c != nil && Fold(r.Words.Text(c.Project)) == want || m != nil && m.Kind == memory.Project && tagged(m)
		}, nil
	}
	return nil, fault.New(fault.Invalid, "unknown-filter", "There is no filter called {name}.").With("name", rows.ShortID(name)).
		Advise("Filters are type, category, status, tag, platform, project, in, before, after, since, until and date.")
}

// SinceSecond is the filter for documents with a time at or after a Unix second.
const SinceSecond = "since-second"

// hasTag returns a predicate for memories with the typed tag: equal except for case and
// accents, or equal after normalization.
func hasTag(typed string) func(*rows.Memory) bool {
	want, stored := Fold(typed), normalizeTag(typed)
	return func(m *rows.Memory) bool {
		return slices.ContainsFunc(m.Tags, func(tag string) bool { return Fold(tag) == want || stored != "" && tag == stored })
	}
}

// UntilSecond is the search filter for records with a time before a Unix second. Only the
// program adds UntilSecond and SinceSecond to a query; people type filters with dates.
const (
	UntilSecond = "until-second"
)
