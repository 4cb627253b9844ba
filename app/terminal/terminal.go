package terminal

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

// Line prints one line.
func Line(w io.Writer, format string, args ...any) {
	_, _ = io.WriteString(w, Sentence(format, args...)+"\n")
}

// Sentence is fmt.Sprintf with a printable result, in which no argument makes a line
// of its own.
func Sentence(format string, args ...any) string {
	flat := make([]any, len(args))
	for i, arg := range args {
		flat[i] = oneLiner{arg}
	}
	return Printable(fmt.Sprintf(format, flat...))
}

// oneLiner formats a value as its verb does, without line breaks.
type oneLiner struct{ value any }

// Format implements fmt.Formatter.
func (o oneLiner) Format(state fmt.State, verb rune) {
	_, _ = io.WriteString(state, Flat(fmt.Sprintf(fmt.FormatString(state, verb), o.value)))
}

// Flat is a text in one line.
func Flat(text string) string {
	return strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ").Replace(text)
}

// Printable is text without what a terminal acts on, or does not show: control
// characters, marks that turn the direction of writing, and invisible characters.
// Joiners stay: words and emoji are made with them.
func Printable(s string) string { return strings.Map(printable, s) }

func printable(r rune) rune {
	switch {
	case r == '\n' || r == '\t':
		return r
	case isControl(r):
		return '\u2423'
	case isInvisible(r):
		return '\u2426'
	}
	return r
}

func isControl(r rune) bool {
	return r < 0x20 || 0x7f <= r && r < 0xa0 || r == 0x2028 || r == 0x2029
}

// isInvisible reports a format character: one that turns the direction of writing or
// has no width.
func isInvisible(r rune) bool {
	switch {
	case 0x202a <= r && r <= 0x202e, 0x2066 <= r && r <= 0x2069, r == 0x200e, r == 0x200f, r == 0x061c: // direction
		return true
	case r == 0x200b, r == 0x2060, r == 0xfeff, r == 0x00ad, r == 0x180e, 0x2061 <= r && r <= 0x2064, 0x206a <= r && r <= 0x206f: // no width
		return true
	}
	return 0xe0000 <= r && r <= 0xe007f || 0xfff9 <= r && r <= 0xfffb // tags, annotations
}

// Writer makes what others print printable.
func Writer(w io.Writer) io.Writer {
	return &runes{w: w, put: func(out []byte, r rune) []byte { return utf8.AppendRune(out, printable(r)) }}
}

// JSON writes JSON with what Printable takes out as \u escapes: the values are the
// same. It can only stand inside of strings.
func JSON(w io.Writer) io.Writer {
	return &runes{w: w, put: func(out []byte, r rune) []byte {
		if r == '\n' || r == '\r' || r == '\t' || !isControl(r) && !isInvisible(r) {
			return utf8.AppendRune(out, r)
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			out = fmt.Appendf(out, `\u%04x`, unit)
		}
		return out
	}}
}

// runes writes a text character by character as put puts it.
type runes struct {
	w    io.Writer
	put  func(out []byte, r rune) []byte
	mu   sync.Mutex
	rest []byte // the beginning of a character that is cut at the end of a write
}

// Write implements io.Writer.
func (e *runes) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	text := append(e.rest, p...)
	out := make([]byte, 0, len(text))
	for len(text) > 0 && (utf8.FullRune(text) || len(text) >= utf8.UTFMax) {
		r, n := utf8.DecodeRune(text)
		out, text = e.put(out, r), text[n:]
	}
	e.rest = append([]byte{}, text...)
	_, err := e.w.Write(out)
	return len(p), err
}
