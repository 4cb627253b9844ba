package clients

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Line is a line of a diff: what goes ("-"), what comes ("+"), or one that stands beside
// them (" ").
type Line struct {
	Op   string `json:"op"`
	Text string `json:"text"`
}

const (
	linesAround = 2   // of a change are shown
	longestLine = 240 // bytes; of a longer one, what changes in it
	bytesAround = 60  // of a change in a long line are shown
)

// Lines are what the plan changes, nil where that is nothing: one piece, with the lines
// before and behind it.
func (p Plan) Lines() []Line {
	if !p.Changes() {
		return nil
	}
	before, after := lines(p.Before), lines(p.After)
	head := common(len(before), len(after), func(i int) bool { return before[i] == after[i] })
	b, a := before[head:], after[head:]
	tail := common(len(b), len(a), func(i int) bool { return b[len(b)-1-i] == a[len(a)-1-i] })
	var out []Line
	add := func(op string, all []string, piece func(string) string) {
		for _, text := range all {
			out = append(out, Line{op, piece(text)})
		}
	}
	gone, come := strings.Join(b[:len(b)-tail], "\n"), strings.Join(a[:len(a)-tail], "\n")
	same := common(len(gone), len(come), func(i int) bool { return gone[i] == come[i] })
	add(" ", before[max(0, head-linesAround):head], start)
	add("-", b[:len(b)-tail], around(same))
	add("+", a[:len(a)-tail], around(same))
	add(" ", b[len(b)-tail:][:min(tail, linesAround)], start)
	return out
}

// lines splits a text; a last line that does not end is one, too.
func lines(text []byte) []string {
	text = bytes.TrimPrefix(text, []byte(byteOrderMark))
	text = bytes.TrimSuffix(text, []byte("\n"))
	if len(text) == 0 {
		return nil
	}
	all := strings.Split(string(text), "\n")
	for i, line := range all {
		all[i] = strings.TrimSuffix(line, "\r")
	}
	return all
}

// common is how many of two lists are equal, from where equal counts.
func common(a, b int, equal func(int) bool) int {
	n := 0
	for n < min(a, b) && equal(n) {
		n++
	}
	return n
}

func start(line string) string { return cutOut(line, 0, longestLine) }

// around shows of long lines what is near an offset of the first of them.
func around(offset int) func(string) string {
	return func(line string) string {
		if len(line) <= longestLine {
			return line
		}
		from := max(0, min(offset, len(line))-bytesAround)
		return cutOut(line, from, from+longestLine)
	}
}

// cutOut is a piece of a line, with … for what is missing.
func cutOut(line string, from, to int) string {
	piece := line[from:min(to, len(line))]
	if from > 0 {
		piece = "…" + piece
	}
	if to < len(line) {
		piece += "…"
	}
	if !utf8.ValidString(piece) {
		return strings.ToValidUTF8(piece, "")
	}
	return piece
}
