package handoff

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

// Reasons why a memory is not in a text.
const (
	NoRoom  = "no-room"  // what ranks higher fills the budget
	TooLong = "too-long" // it alone is longer than the budget
)

// Options of one hand-off.
type Options struct {
	// Limits by the names of parts, in UTF-16 units; where there is none, the
	// part's own holds.
	Limits map[string]int
	// Confidence is what a memory's is worth today, 0..1.
	Confidence func(memory.Record) float64
}

// Text is one part, composed.
type Text struct {
	Part
	// Messages are what is pasted: one, or several that are said one after the other.
	Messages   []string
	CodePoints int
	UTF16      int
	Taken      []string // ids, in the order of rank
	LeftOut    []LeftOut
}

// LeftOut is a memory that is not in a text, and why.
type LeftOut struct{ ID, Reason string }

// Compose writes all parts of a target from memories that may leave.
func Compose(info Info, all []memory.Record, o Options) ([]Text, error) {
	ranked := rank(all, o.Confidence)
	texts := make([]Text, 0, len(info.Parts))
	for i, part := range info.Parts {
		if n, ok := o.Limits[part.Name]; ok {
			part.Limit = n
		}
		if part.Limit <= 0 {
			return nil, ErrNoBudget(part.Limit)
		}
		from := ranked
		if part.Follows {
			from = slices.DeleteFunc(slices.Clone(ranked), func(r memory.Record) bool { return slices.Contains(texts[i-1].Taken, r.ID) })
		}
		texts = append(texts, compose(part, from))
	}
	return texts, nil
}

// ErrNoBudget is the fault of a budget of zero or less.
func ErrNoBudget(n int) error {
	return fault.New(fault.Invalid, "handoff-no-budget", "A budget of {budget} leaves room for nothing.").With("budget", n).
		Advise("Give the number of characters that the text may have.")
}

// order of types: what an assistant should heed first.
var order = []memory.Type{
	memory.Instruction, memory.Identity, memory.Preference, memory.Project, memory.Goal, memory.Skill,
	memory.Environment, memory.Relationship, memory.Fact, memory.Context, memory.Custom,
}

// rank sorts by type, then confidence, then how new a memory is; ids decide between
// equals, so that the same memories always give the same text.
func rank(all []memory.Record, confidence func(memory.Record) float64) []memory.Record {
	place := func(r memory.Record) int { return slices.Index(order, r.Type) }
	return slices.SortedFunc(slices.Values(all), func(a, b memory.Record) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(confidence(b), confidence(a)), newest(b).Compare(newest(a)), strings.Compare(a.ID, b.ID))
	})
}

func newest(r memory.Record) memory.Time {
	if r.Temporal.UpdatedAt.IsZero() {
		return r.Temporal.CreatedAt
	}
	return r.Temporal.UpdatedAt
}

// compose takes entries as long as they fit, and smaller ones after one that does
// not.
func compose(p Part, ranked []memory.Record) Text {
	t := Text{Part: p, Taken: []string{}, LeftOut: []LeftOut{}}
	room := newRoom(p)
	var taken []memory.Record
	for _, r := range ranked {
		switch {
		case room.take(r):
			taken, t.Taken = append(taken, r), append(t.Taken, r.ID)
		case newRoom(p).take(r):
			t.LeftOut = append(t.LeftOut, LeftOut{r.ID, NoRoom})
		default:
			t.LeftOut = append(t.LeftOut, LeftOut{r.ID, TooLong})
		}
	}
	if len(taken) > 0 {
		t.Messages = chunks(p, taken)
	}
	for _, m := range t.Messages {
		t.CodePoints += utf8.RuneCountInString(m)
		t.UTF16 += UTF16(m)
	}
	return t
}

// room counts what a part has left. It counts what an entry adds to the text: its
// own line, and once for each section the heading.
type room struct {
	part        Part
	used, lines int
	chunk       int // of the message that is being filled
	headed      map[string]bool
}

func newRoom(p Part) *room {
	r := &room{part: p, headed: map[string]bool{}}
	if p.Chunk == 0 {
		r.used, r.lines = cost(p.form.head+p.form.foot), newlines(p.form.head+p.form.foot)
	}
	return r
}

func (r *room) take(m memory.Record) bool {
	f := r.part.form
	add := f.entry(m)
	if section := f.section(m.Type); section != "" && !r.headed[section] {
		add = f.heading(section) + add
	}
	size := cost(add)
	frame := 0
	if r.part.Chunk > 0 {
		frame = cost(f.head)
		if frame+size > r.part.Chunk {
			return false
		}
		if r.chunk > 0 && r.chunk+size <= r.part.Chunk {
			frame = 0 // it goes into the message before
		}
	}
	if r.used+frame+size > r.part.Limit || r.part.Lines > 0 && r.lines+newlines(add) > r.part.Lines {
		return false
	}
	if frame > 0 {
		r.chunk = frame
	}
	r.chunk += size
	r.used += frame + size
	r.lines += newlines(add)
	r.headed[f.section(m.Type)] = true
	return true
}

func cost(s string) int { return UTF16(s) }

func newlines(s string) int { return strings.Count(s, "\n") }

// chunks writes the text, or the messages, of a part.
func chunks(p Part, taken []memory.Record) []string {
	if p.Chunk == 0 {
		return []string{p.form.write(taken)}
	}
	var out []string
	message := ""
	for _, r := range taken {
		entry := p.form.entry(r)
		if message != "" && UTF16(message)+UTF16(entry) > p.Chunk {
			out, message = append(out, strings.TrimRight(message, "\n")), ""
		}
		if message == "" {
			message = p.form.head
		}
		message += entry
	}
	return append(out, strings.TrimRight(message, "\n"))
}

// UTF16 is how long a page's own counter calls a text.
func UTF16(s string) int {
	n := 0
	for _, r := range s {
		if n++; r > 0xFFFF {
			n++
		}
	}
	return n
}
