package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// Snippet is the part of a text that shows best why it was found.
type Snippet struct {
	Text  string   // one line; "…" where the text goes on
	Spans [][2]int // what to mark: from and to in bytes of Text, in order, apart from each other
}

// maxMarks bounds how many places of one text are marked.
const maxMarks = 10_000

// merged joins spans that meet.
func merged(spans [][2]int) [][2]int {
	slices.SortFunc(spans, func(a, b [2]int) int { return a[0] - b[0] })
	out := spans[:0]
	for _, s := range spans {
		if n := len(out); n > 0 && s[0] <= out[n-1][1] {
			out[n-1][1] = max(out[n-1][1], s[1])
			continue
		}
		out = append(out, s)
	}
	return out
}

// Excerpt cuts a window of about width characters out of text, where most of
// the query's words stand together; width 0 is 160. Spaces and line breaks become
// single spaces, and words and characters stay whole. A query without words, or
// a text without them, gives its beginning. Give it the Query of the Results,
// which knows the words that were widened.
func Excerpt(text string, q Query, width int) Snippet {
	if width <= 0 {
		width = 160
	}
	text = head(text)
	marks := find(text, q, maxMarks)
	from, to := window(text, marks, width)
	var spans [][2]int
	for _, m := range marks {
		if m.from < to && m.to > from {
			spans = append(spans, [2]int{max(m.from, from), min(m.to, to)})
		}
	}
	return collapse(text, from, to, merged(spans))
}

// window is the bytes to show.
func window(text string, marks []mark, width int) (from, to int) {
	first, last := best(text, marks, width)
	used := utf8.RuneCountInString(text[first:last])
	// A third of what is left goes before the match: people read on, not back.
	from = back(text, first, max(width-used, 0)/3)
	used += utf8.RuneCountInString(text[from:first])
	to = forward(text, last, max(width-used, 0))
	if to == len(text) { // the text ends soon: show more of what is before
		used = utf8.RuneCountInString(text[from:to])
		from = back(text, from, max(width-used, 0))
	}
	return from, to
}

// best is the stretch of marks, at most width characters long, that has most
// different parts of the query, then most marks, then comes first. A mark that is
// longer than width by itself is cut.
func best(text string, marks []mark, width int) (first, last int) {
	if len(marks) == 0 {
		return 0, 0
	}
	seen := map[*node]int{}
	distinct, bestDistinct, bestCount, lo := 0, -1, -1, 0
	for hi, m := range marks {
		if seen[m.n]++; seen[m.n] == 1 {
			distinct++
		}
		for lo < hi && wider(text[marks[lo].from:max(m.to, marks[lo].from)], width) {
			if seen[marks[lo].n]--; seen[marks[lo].n] == 0 {
				distinct--
			}
			lo++
		}
		if count := hi - lo; distinct > bestDistinct || distinct == bestDistinct && count > bestCount {
			bestDistinct, bestCount = distinct, count
			first, last = marks[lo].from, m.to
		}
	}
	return first, min(last, skip(text, first, width))
}

func wider(s string, width int) bool {
	return len(s) > utf8.UTFMax*width || utf8.RuneCountInString(s) > width
}

// skip is n characters after at.
func skip(text string, at, n int) int {
	for ; n > 0 && at < len(text); n-- {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at
}

// slack is how far a border is moved to a space, in bytes.
const slack = 24

// back is about n characters before at, after a space if there is one.
func back(text string, at, n int) int {
	i := at
	for ; n > 0 && i > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:i])
		i -= size
	}
	if i == 0 {
		return 0
	}
	for j := i; j <= at && j < i+slack; j++ {
		if j == at || isSpace(text[j-1]) {
			return grapheme(text, j)
		}
	}
	return grapheme(text, i)
}

// forward is about n characters after at, before a space if there is one.
func forward(text string, at, n int) int {
	i := skip(text, at, n)
	if i >= len(text) {
		return len(text)
	}
	for j := i; j >= at && j > i-slack; j-- {
		if j == at || isSpace(text[j]) {
			return j
		}
	}
	if j := grapheme(text, i); j >= at {
		return j
	}
	return at
}

func isSpace(b byte) bool { return b <= ' ' }

// grapheme is the border of a character that people see, at i or before it. It
// starts looking at a space or some way back.
func grapheme(text string, i int) int {
	const far = 256
	from := i
	for from > 0 && i-from < far && !isSpace(text[from-1]) {
		from--
	}
	for from < i && !utf8.RuneStart(text[from]) {
		from++
	}
	it := graphemes.FromString(text[from:min(len(text), i+far)])
	for it.Next() {
		if from+it.End() > i {
			return from + it.Start()
		}
	}
	return i
}

// collapse makes one line of text[from:to] and moves the spans along.
func collapse(text string, from, to int, spans [][2]int) Snippet {
	var out strings.Builder
	var s Snippet
	if from > 0 {
		out.WriteString("…")
	}
	space := true // nothing begins with a space
	next := 0
	mark := func(at int) {
		for next < len(spans) {
			if len(s.Spans) == next && spans[next][0] <= at {
				s.Spans = append(s.Spans, [2]int{out.Len(), out.Len()})
			}
			if len(s.Spans) == next || spans[next][1] > at {
				return
			}
			s.Spans[next][1] = out.Len()
			next++
		}
	}
	for i := from; i < to; {
		r, size := utf8.DecodeRuneInString(text[i:to])
		gap := unicode.IsSpace(r) || unicode.IsControl(r)
		if gap && !space {
			mark(i)
			out.WriteByte(' ')
		} else if !gap {
			mark(i)
			if r == utf8.RuneError && size == 1 {
				out.WriteRune(r)
			} else {
				out.WriteString(text[i : i+size])
			}
		}
		space = gap
		i += size
	}
	mark(to)
	s.Text = out.String()
	if trimmed := strings.TrimSuffix(s.Text, " "); len(trimmed) < len(s.Text) {
		s.Text = trimmed
		if n := len(s.Spans); n > 0 {
			s.Spans[n-1][1] = min(s.Spans[n-1][1], len(trimmed))
		}
	}
	if to < len(text) {
		s.Text += "…"
	}
	return s
}
