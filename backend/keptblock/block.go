package keptblock

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Marker lines. In Markdown, which is what such files are, they are comments.
const (
	begins = "<!-- keepsake:begin (written by Keepsake; changes up to its end are lost) -->"
	ends   = "<!-- keepsake:end -->"
)

var (
	beginning = regexp.MustCompile(`^[ \t]*<!--[ \t]*keepsake:begin\b.*-->[ \t]*$`)
	ending    = regexp.MustCompile(`^[ \t]*<!--[ \t]*keepsake:end\b.*-->[ \t]*$`)
)

// Faults of a text, before a file is named in them.
var (
	errMarkers = errors.New("the markers are not one pair")
	errNotText = errors.New("no text in UTF-8")
)

// span is where the lines of a block are: from its first marker to behind the line of its last one.
type span struct{ start, inner, innerEnd, end int }

// find returns where the block of a text is; ok is false where there is none.
func find(text []byte) (s span, ok bool, err error) {
	if !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
		return s, false, errNotText
	}
	seen := 0
	for at := 0; at < len(text); {
		next := len(text)
		if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
			next = at + i + 1
		}
		line := strings.TrimPrefix(strings.TrimRight(string(text[at:next]), "\r\n"), "\ufeff")
		switch {
		case beginning.MatchString(line) && seen == 0:
			s.start, s.inner, seen = at+lead(text, at), next, 1
		case ending.MatchString(line) && seen == 1:
			s.innerEnd, s.end, seen = at, next, 2
		case beginning.MatchString(line), ending.MatchString(line):
			return s, false, errMarkers
		}
		at = next
	}
	if seen == 1 {
		return s, false, errMarkers
	}
	return s, seen == 2, nil
}

// lead is how many bytes of a byte order mark stand at an offset.
func lead(text []byte, at int) int {
	if at == 0 && bytes.HasPrefix(text, []byte("\ufeff")) {
		return len("\ufeff")
	}
	return 0
}

// newline is how the lines of a text end.
func newline(text []byte) string {
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// put returns a file with a text in its block, which is put at its end where there is none, behind
// the separator that it needs there.
func put(file []byte, text string) (out []byte, separator string, err error) {
	s, found, err := find(file)
	if err != nil {
		return nil, "", err
	}
	end := newline(file)
	lines := plainLines(text, end)
	if found {
		return bytes.Join([][]byte{file[:s.inner], []byte(lines), file[s.innerEnd:]}, nil), "", nil
	}
	if rest := file[lead(file, 0):]; len(rest) > 0 {
		separator = end
		if !bytes.HasSuffix(rest, []byte("\n")) {
			separator += end
		}
	}
	return bytes.Join([][]byte{file, []byte(separator + begins + end + lines + ends + end)}, nil), separator, nil
}

// plainLines is a text with whole lines, none of which is a marker.
func plainLines(text, end string) string {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r", ""))
	if text == "" {
		return ""
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if beginning.MatchString(line) || ending.MatchString(line) {
			lines[i] = strings.ReplaceAll(line, "<!--", "&lt;!--")
		}
	}
	return strings.Join(lines, end) + end
}

// remove returns a file without its block, or with the text in it and without markers. The separator
// that was put before it goes along, so that a file is as it was.
func remove(file []byte, separator string, leave bool) ([]byte, error) {
	s, found, err := find(file)
	if err != nil || !found {
		return file, err
	}
	if leave {
		return bytes.Join([][]byte{file[:s.start], file[s.inner:s.innerEnd], file[s.end:]}, nil), nil
	}
	before := file[:s.start]
	if s.end == len(file) {
		before = bytes.TrimSuffix(before, []byte(separator))
	}
	return append(bytes.Clone(before), file[s.end:]...), nil
}

// inside is what stands in the block of a file.
func inside(file []byte) (text string, found bool, err error) {
	s, found, err := find(file)
	if err != nil || !found {
		return "", false, err
	}
	return string(file[s.inner:s.innerEnd]), true, nil
}
