package handoff

import (
	"cmp"
	"iter"
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
	// Named is how many of what each part has no room for are named; the others are
	// counted.
	Named int
}

// Text is one part, composed.
type Text struct {
	Part
	// Messages are what is pasted: one, or several that are said one after the other.
	Messages     []string
	CodePoints   int
	UTF16        int
	Taken        []string  // ids, in the order of rank
	LeftOut      []LeftOut // those that are named
	LeftOutTotal int
}

// LeftOut is a memory that is not in a text, what it says, and why.
type LeftOut struct{ ID, Content, Reason string }

// Rank says where a memory stands among those that may leave.
type Rank struct {
	Type       memory.Type
	Confidence float64 // today, 0..1
	Changed    int64   // when it was last, in microseconds since 1970
	ID         string
}

// order of types: what an assistant should heed first.
var order = []memory.Type{
	memory.Instruction, memory.Identity, memory.Preference, memory.Project, memory.Goal, memory.Skill,
	memory.Environment, memory.Relationship, memory.Fact, memory.Context, memory.Custom,
}

// Compare puts first what is of an earlier type, then what is surer, then what is
// newer; ids decide between equals, so that the same memories always give the same
// text.
func (a Rank) Compare(b Rank) int {
	if a.Type != b.Type {
		return cmp.Compare(slices.Index(order, a.Type), slices.Index(order, b.Type))
	}
	return cmp.Or(cmp.Compare(b.Confidence, a.Confidence), cmp.Compare(b.Changed, a.Changed), strings.Compare(a.ID, b.ID))
}

// Compose writes all parts of a target from memories that may leave, which come in
// the order of their rank. It holds those it takes and looks once at the others, so
// there may be any number of them.
func Compose(info Info, ranked iter.Seq2[memory.Record, error], o Options) ([]Text, error) {
	parts := make([]composing, len(info.Parts))
	for i, part := range info.Parts {
		if n, ok := o.Limits[part.Name]; ok {
			part.Limit = n
		}
		if part.Limit <= 0 {
			return nil, ErrNoBudget(part.Limit)
		}
		parts[i] = composing{Text: Text{Part: part, Taken: []string{}, LeftOut: []LeftOut{}}, room: newRoom(part), named: o.Named}
	}
	for r, err := range ranked {
		if err != nil {
			return nil, err
		}
		taken := false
		for i := range parts {
			taken = !(parts[i].Follows && taken) && parts[i].offer(r)
		}
	}
	texts := make([]Text, len(parts))
	for i := range parts {
		texts[i] = parts[i].text()
	}
	return texts, nil
}

// ErrNoBudget is the fault of a budget of zero or less.
func ErrNoBudget(n int) error {
	return fault.New(fault.Invalid, "handoff-no-budget", "A budget of {budget} leaves room for nothing.").With("budget", n).
		Advise("Give the number of characters that the text may have.")
}

// composing is a part that is being filled.
type composing struct {
	Text
	room  *room
	taken []memory.Record
	named int
}

// offer takes an entry if it fits, also a smaller one after one that does not.
func (c *composing) offer(r memory.Record) bool {
	if c.room.take(r) {
		c.taken, c.Taken = append(c.taken, r), append(c.Taken, r.ID)
		return true
	}
	if c.LeftOutTotal++; c.LeftOutTotal > c.named {
		return false
	}
	reason := TooLong
	if newRoom(c.Part).take(r) {
		reason = NoRoom
	}
	c.LeftOut = append(c.LeftOut, LeftOut{r.ID, r.Content, reason})
	return false
}

func (c *composing) text() Text {
	t := c.Text
	if len(c.taken) > 0 {
		t.Messages = chunks(t.Part, c.taken)
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
