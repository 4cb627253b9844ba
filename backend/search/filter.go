package search

import (
	"slices"
	"strings"
	"time"

	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

// fieldName reads name: where name is a filter's.
func (p *parser) fieldName() (string, bool) {
	if p.literal {
		return "", false
	}
	name, _, ok := strings.Cut(p.text[p.at:min(len(p.text), p.at+16)], ":")
	name = strings.ToLower(name)
	if !ok || !slices.Contains(fieldNames, name) {
		return "", false
	}
	p.at += len(name) + 1
	return name, true
}

var fieldNames = []string{
	"type", "category", "status", "platform", "tag", "project", "role",
	"in", "before", "since", "after", "until", "date",
}

// allowed are the values of a filter, nil for any.
func allowed(name string) (values []string) {
	switch name {
	case "type":
		for _, t := range memory.Types() {
			values = append(values, string(t))
		}
	case "status":
		for _, s := range memory.Statuses() {
			values = append(values, string(s))
		}
	case "role":
		for _, r := range []memory.Role{memory.User, memory.Assistant, memory.System, memory.Tool} {
			values = append(values, string(r))
		}
	case "in":
		values = []string{"memories", "conversations", "messages", "titles"}
	}
	return values
}

// filter reads the values of a filter. Without any it is passed over: somebody
// is still typing.
func (p *parser) filter(name string) *node {
	n := &node{op: opField, field: name}
	for _, value := range strings.Split(p.value(), ",") {
		if value = strings.TrimSpace(value); value != "" {
			p.check(n, value)
		}
	}
	if len(n.values)+len(n.dates) == 0 {
		p.unfilled = true
		return nil
	}
	return n
}

// value reads to the next space or parenthesis, or what stands in quotes.
func (p *parser) value() string {
	if size := p.quote(p.at); size > 0 {
		text, _ := p.quoted(size)
		return text
	}
	rest := p.text[p.at:]
	end := strings.IndexAny(rest, " \t\r\n\u3000()\"")
	if end < 0 {
		end = len(rest)
	}
	p.at += end
	return rest[:end]
}

// check takes a value if the filter can have it.
func (p *parser) check(n *node, value string) {
	switch n.field {
	case "before", "since", "after", "until", "date":
		d, ok := parseSpan(value)
		if !ok {
			p.refuse(fault.New(fault.Invalid, "search-date", "The filter {field} takes a date such as 2024, 2024-05 or 2024-05-31.").With("field", n.field))
			return
		}
		n.dates = append(n.dates, d)
		return
	}
	if may := allowed(n.field); may != nil {
		if value = strings.ToLower(value); !slices.Contains(may, value) {
			p.refuse(fault.New(fault.Invalid, "search-value", "The filter {field} takes one of these: {allowed}.").With("field", n.field).With("allowed", strings.Join(may, ", ")))
			return
		}
	}
	n.values = append(n.values, value)
}

func (p *parser) refuse(f error) {
	if p.fault == nil {
		p.fault = f
	}
}

// span is a year, a month or a day of some calendar; the time zone comes with
// the search.
type span struct {
	y     int
	m     time.Month
	d     int
	years int // how long it is
	month int
	days  int
}

func parseSpan(value string) (span, bool) {
	for _, form := range []struct {
		layout string
		years  int
		months int
		days   int
	}{{"2006", 1, 0, 0}, {"2006-01", 0, 1, 0}, {"2006-1", 0, 1, 0}, {time.DateOnly, 0, 0, 1}, {"2006-1-2", 0, 0, 1}} {
		if t, err := time.Parse(form.layout, value); err == nil {
			return span{t.Year(), t.Month(), t.Day(), form.years, form.months, form.days}, true
		}
	}
	return span{}, false
}

// bounds are the unix seconds of the beginning and of the end.
func (s span) bounds(loc *time.Location) (from, to int64) {
	start := time.Date(s.y, s.m, s.d, 0, 0, 0, 0, loc)
	end := time.Date(s.y+s.years, s.m+time.Month(s.month), s.d+s.days, 0, 0, 0, 0, loc)
	return start.Unix(), end.Unix()
}

type predicate func(kind Kind, seq uint64, part uint32, time int64) bool

// dated answers the filters of time. What has no time passes none of them.
func (n *node) dated(loc *time.Location) predicate {
	var tests []func(int64) bool
	for _, d := range n.dates {
		from, to := d.bounds(loc)
		switch n.field {
		case "before":
			tests = append(tests, func(t int64) bool { return t < from })
		case "since":
			tests = append(tests, func(t int64) bool { return t >= from })
		case "after":
			tests = append(tests, func(t int64) bool { return t >= to })
		case "until":
			tests = append(tests, func(t int64) bool { return t < to })
		case "date":
			tests = append(tests, func(t int64) bool { return from <= t && t < to })
		}
	}
	return func(_ Kind, _ uint64, _ uint32, t int64) bool {
		return t != 0 && slices.ContainsFunc(tests, func(test func(int64) bool) bool { return test(t) })
	}
}

// within answers in:.
func (n *node) within() predicate {
	return func(kind Kind, _ uint64, part uint32, _ int64) bool {
		return slices.ContainsFunc(n.values, func(v string) bool {
			switch v {
			case "memories":
				return kind == Memory
			case "messages":
				return kind == Conversation && part != Title
			case "titles":
				return kind == Conversation && part == Title
			}
			return kind == Conversation
		})
	}
}

// predicate answers a filter.
func (n *node) predicate(o Options, loc *time.Location) (predicate, error) {
	switch {
	case n.dates != nil:
		return n.dated(loc), nil
	case n.field == "in":
		return n.within(), nil
	case o.Field == nil:
		return nil, fault.New(fault.Unsupported, "search-filter", "The filter {field} cannot be used here.").With("field", n.field)
	}
	var tests []predicate
	for _, value := range n.values {
		test, err := o.Field(n.field, value)
		if err != nil {
			return nil, err
		}
		tests = append(tests, test)
	}
	return func(kind Kind, seq uint64, part uint32, time int64) bool {
		return slices.ContainsFunc(tests, func(t predicate) bool { return t(kind, seq, part, time) })
	}, nil
}
