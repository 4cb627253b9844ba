package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// printJSON writes the one JSON document of a command.
func (d *door) printJSON(v any) error {
	enc := json.NewEncoder(&escaped{w: d.env.Stdout})
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// printDocument prints a document that is too long to be held, set as printJSON sets one.
func (d *door) printDocument(write func(io.Writer) error) error {
	from, to := io.Pipe()
	printed := make(chan error, 1)
	go func() {
		err := indented(&escaped{w: d.env.Stdout}, from)
		printed <- err
		from.CloseWithError(err) // what is still written then fails
	}()
	err := write(to)
	to.CloseWithError(err)
	return cmp.Or(err, <-printed)
}

// indented copies one JSON value, its texts and numbers as they are written.
func indented(w io.Writer, r io.Reader) error {
	dec := jsontext.NewDecoder(r)
	enc := jsontext.NewEncoder(w, jsontext.WithIndent("  "), jsontext.PreserveRawStrings(true))
	for {
		var err error
		switch kind := dec.PeekKind(); kind {
		case '{', '}', '[', ']':
			var token jsontext.Token
			if token, err = dec.ReadToken(); err == nil {
				err = enc.WriteToken(token)
			}
		default:
			var value jsontext.Value
			if value, err = dec.ReadValue(); err == nil {
				err = enc.WriteValue(value)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// answer prints v where JSON was asked for, and lets say tell it otherwise.
func (d *door) answer(v any, say func()) error {
	if d.json {
		return d.printJSON(v)
	}
	say()
	return nil
}

// say writes one line for a person.
func (d *door) say(format string, args ...any) { printLine(d.env.Stdout, format, args) }

// note writes one line that is not part of the answer.
func (d *door) note(format string, args ...any) { printLine(d.env.Stderr, format, args) }

// prompt asks for something to be typed, on the same line.
func (d *door) prompt(format string, args ...any) {
	_, _ = io.WriteString(d.env.Stderr, printable(fmt.Sprintf(format, oneLiners(args)...)))
}

// sayText writes a text for a person with the lines it has.
func (d *door) sayText(text string) { _, _ = io.WriteString(d.env.Stdout, printable(text)+"\n") }

// printLine prints text for a person. Much of it comes from outside: all of it is made
// printable, and what stands in a sentence makes no line of its own.
func printLine(w io.Writer, format string, args []any) {
	_, _ = io.WriteString(w, printable(fmt.Sprintf(format, oneLiners(args)...))+"\n")
}

// oneLiners are arguments of a sentence without line breaks.
func oneLiners(args []any) []any {
	out := make([]any, len(args))
	for i, arg := range args {
		switch text := arg.(type) {
		case string:
			out[i] = flat(text)
		case error:
			out[i] = flat(text.Error())
		default:
			out[i] = arg
		}
	}
	return out
}

// count says "1 memory", "86 memories", "1,204 conversations".
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(n) + " " + many
}

// outOf says how much of a list is shown: "16 memories", or "3 of 16 memories".
func outOf(n, total int, one, many string) string {
	if n == total {
		return count(total, one, many)
	}
	return grouped(n) + " of " + count(total, one, many)
}

// listed puts commas between words: "active, retracted".
func listed[T ~string](words []T) string {
	plain := make([]string, len(words))
	for i, w := range words {
		plain[i] = string(w)
	}
	return strings.Join(plain, ", ")
}

func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// flat is a text in one line.
func flat(text string) string {
	return strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ").Replace(text)
}

// printable is text without what a terminal acts on, or does not show: control
// characters, marks that turn the direction of writing, and invisible characters.
// Joiners stay: words and emoji are made with them.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case isControl(r):
			return '\u2423'
		case isInvisible(r):
			return '\u2426'
		}
		return r
	}, s)
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

// escaped writes JSON with what printable takes out as \u escapes: the values are the
// same, and a terminal acts on none of them. They can only stand inside of strings.
type escaped struct {
	w    io.Writer
	rest []byte // the beginning of a character that is cut at the end of a write
}

// Write implements io.Writer.
func (e *escaped) Write(p []byte) (int, error) {
	text := append(e.rest, p...)
	out := make([]byte, 0, len(text))
	for len(text) > 0 && (utf8.FullRune(text) || len(text) >= utf8.UTFMax) {
		r, n := utf8.DecodeRune(text)
		switch {
		case r != '\n' && r != '\r' && r != '\t' && (isControl(r) || isInvisible(r)):
			for _, unit := range utf16.Encode([]rune{r}) {
				out = fmt.Appendf(out, `\u%04x`, unit)
			}
		default:
			out = append(out, text[:n]...)
		}
		text = text[n:]
	}
	e.rest = append([]byte{}, text...)
	_, err := e.w.Write(out)
	return len(p), err
}

// oneLine is printable text cut to a line of at most n characters.
func oneLine(s string, n int) string {
	runes := []rune(printable(strings.Join(strings.Fields(s), " ")))
	if len(runes) > n {
		return string(runes[:n-1]) + "…"
	}
	return string(runes)
}
