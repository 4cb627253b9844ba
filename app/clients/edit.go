package clients

import (
	"bytes"
	"slices"
	"strings"
)

// syntax is how a client's file is written. text is a whole file without a byte order mark.
type syntax interface {
	// name of the table of servers.
	servers() string
	// kind is what an entry says as its type, "" for nothing.
	kind() string
	// decode reads a file; one with nothing in it is an empty table.
	decode(text []byte) (map[string]any, error)
	// add writes an entry into a file that has none.
	add(text []byte, e Entry) ([]edit, error)
	// change writes the program and the arguments of the entry that is there.
	change(text []byte, e Entry) ([]edit, error)
	// remove takes the entry out, with the table of servers where that was made for it.
	remove(text []byte) ([]edit, error)
	// whole is a file with the entry alone.
	whole(e Entry) string
}

// edit replaces the bytes from one offset to another.
type edit struct {
	from, to int
	text     string
}

// apply carries out edits of different places, in any order.
func apply(text []byte, edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.from - b.from })
	var out []byte
	done := 0
	for _, e := range edits {
		out = append(append(out, text[done:e.from]...), e.text...)
		done = e.to
	}
	return append(out, text[done:]...)
}

// newline is how the lines of a file end.
func newline(text []byte) string {
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// lineStart is where the line of an offset begins.
func lineStart(text []byte, offset int) int { return bytes.LastIndexByte(text[:offset], '\n') + 1 }

// lineEnd is behind the line of an offset.
func lineEnd(text []byte, offset int) int {
	if i := bytes.IndexByte(text[offset:], '\n'); i >= 0 {
		return offset + i + 1
	}
	return len(text)
}

// indentation is what the line of an offset begins with.
func indentation(text []byte, offset int) string {
	line := string(text[lineStart(text, offset):offset])
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}
