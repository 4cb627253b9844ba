package handoff

import (
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
	// Language of the headings, one of Languages; "" is the first of them.
	Language string
	// Person of the parts that do not leave memories as they are written, in place of
	// their own; "" is their own.
	Person Person
}

// Item is a memory that may leave, with what the person chose for this time.
type Item struct {
	memory.Record
	Edited   bool // Content is what the person wrote in its place
	Unticked bool // it stays out, and is shown where it would stand
}

// Line is what a text says of one memory.
type Line struct {
	ID        string
	Heading   string // under which it stands
	Text      string // without the mark before it, a date or evidence
	Language  string // of the memory, "" where nothing says so
	Created   memory.Time
	Edited    bool
	Unticked  bool // it is not in the text
	Shortened bool // only its first sentences are in the text
	section   int
}

// Text is one part, composed.
type Text struct {
	Part
	// Messages are what is pasted: one, or several that are said one after the other.
	Messages     []string
	CodePoints   int
	UTF16        int
	Taken        []string  // ids, in the order of rank
	Lines        []Line    // those taken and those unticked, in the order of the text
	LeftOut      []LeftOut // those that are named, in the order in which they would come in
	LeftOutTotal int
}

// LeftOut is a memory that is not in a text, what it says, and why.
type LeftOut struct{ ID, Content, Reason string }

// Compose writes all parts of a target from memories that may leave, which come in
// the order of their rank. It holds those it takes and looks once at the others, so
// there may be any number of them.
func Compose(info Info, ranked iter.Seq2[Item, error], o Options) ([]Text, error) {
	w, err := wordingIn(o.Language)
	if err != nil {
		return nil, err
	}
	parts := make([]composing, len(info.Parts))
	for i, part := range info.Parts {
		if n, ok := o.Limits[part.Name]; ok {
			part.Limit = n
		}
		if o.Person != AsWritten && part.Person != AsWritten {
			part.Person = o.Person
		}
		if part.Limit <= 0 {
			return nil, ErrNoBudget(part.Limit)
		}
		parts[i] = composing{Text: Text{Part: part, Taken: []string{}, Lines: []Line{}, LeftOut: []LeftOut{}}, words: w, named: o.Named}
	}
	for item, err := range ranked {
		if err != nil {
			return nil, err
		}
		taken := false
		for i := range parts {
			taken = !(parts[i].Follows && taken) && parts[i].offer(item)
		}
	}
	texts := make([]Text, len(parts))
	for i := range parts {
		texts[i] = parts[i].text()
	}
	return texts, nil
}

func wordingIn(language string) (wording, error) {
	if language == "" {
		language = Languages()[0]
	}
	w, ok := wordings[language]
	if !ok {
		return w, fault.New(fault.Invalid, "handoff-language", "There are no headings in the language {language}.").With("language", language).
			Advise("There are en, pt-BR, es, de and fr.")
	}
	return w, nil
}

// ErrNoBudget is the fault of a budget of zero or less.
func ErrNoBudget(n int) error {
	return fault.New(fault.Invalid, "handoff-no-budget", "A budget of {budget} leaves room for nothing.").With("budget", n).
		Advise("Give the number of characters that the text may have.")
}

// composing is a part that is being filled.
type composing struct {
	Text
	words  wording
	ranked []Line // Lines, in the order of rank
	used   int    // UTF-16 units of what is taken
	named  int
}

// offer takes a line if it fits, also a shorter one after one that does not. A line that is
// unticked is kept beside, where it would have been taken.
func (c *composing) offer(item Item) bool {
	l := c.line(item)
	if used, fits := c.fits(c.ranked, l); fits {
		c.ranked = append(c.ranked, l)
		if !l.Unticked {
			c.Taken, c.used = append(c.Taken, l.ID), used
		}
		return true
	}
	if item.Unticked {
		return false
	}
	if c.LeftOutTotal++; c.LeftOutTotal > c.named {
		return false
	}
	reason := TooLong
	if _, alone := c.fits(nil, l); alone {
		reason = NoRoom
	}
	c.LeftOut = append(c.LeftOut, LeftOut{item.ID, item.Content, reason})
	return false
}

// longest is the share of a part that a line may have before it is shortened to its first
// sentences.
const longest = 4

// line is what the part says of a memory.
func (c *composing) line(item Item) Line {
	language, _ := item.Metadata["language"].(string)
	l := Line{
		ID: item.ID, Text: oneLine(item.Content), Language: language, Created: item.Temporal.CreatedAt,
		Edited: item.Edited, Unticked: item.Unticked, section: sectionOf(c.form.sections, item.Type),
	}
	if !l.Edited {
		l.Text = turned(l.Text, c.Person, language)
	}
	l.Heading = c.form.sections[l.section].title(c.words, c.Person)
	if units := c.Limit / longest; UTF16(l.Text) > units {
		if short := firstSentences(l.Text, units); short != "" {
			l.Text, l.Shortened = short, short != l.Text
		}
	}
	l.Text = ended(l.Text)
	return l
}

// fits says whether a line has room beside others, and how long the text is with it.
func (c *composing) fits(others []Line, l Line) (used int, ok bool) {
	if len(others) > 0 && c.used+UTF16(l.Text) > c.Limit {
		return 0, false
	}
	l.Unticked = false // whether it has room does not depend on it
	lines := 0
	for _, m := range c.write(append(others[:len(others):len(others)], l)) {
		size := UTF16(m)
		if c.Chunk > 0 && size > c.Chunk {
			return 0, false
		}
		used += size
		lines += 1 + strings.Count(m, "\n")
	}
	return used, used <= c.Limit && (c.MaxLines == 0 || lines <= c.MaxLines)
}

// write writes the lines that are ticked; no text if there is none.
func (c *composing) write(lines []Line) []string {
	ticked := slices.DeleteFunc(slices.Clone(lines), func(l Line) bool { return l.Unticked })
	if len(ticked) == 0 {
		return nil
	}
	return c.form.write(ticked, c.words, c.Person, c.Chunk)
}

func (c *composing) text() Text {
	t := c.Text
	t.Messages = c.write(c.ranked)
	for _, m := range t.Messages {
		t.CodePoints += utf8.RuneCountInString(m)
		t.UTF16 += UTF16(m)
	}
	for i := range c.form.sections {
		t.Lines = append(t.Lines, c.form.inSection(c.ranked, i)...)
	}
	return t
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
