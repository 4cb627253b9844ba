package cli

import (
	"cmp"
	"encoding/json"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/app/terminal"
	"keepsake/backend/memory"
)

// printJSON writes the one JSON document of a command.
func (d *door) printJSON(v any) error {
	enc := json.NewEncoder(terminal.JSON(d.env.Stdout))
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// printDocument prints a document that is too long to be held, set as printJSON sets one.
func (d *door) printDocument(write func(io.Writer) error) error {
	from, to := io.Pipe()
	printed := make(chan error, 1)
	go func() {
		err := indented(terminal.JSON(d.env.Stdout), from)
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
	if err := d.deliver(); err != nil {
		return err
	}
	if d.json {
		return d.printJSON(v)
	}
	say()
	return nil
}

// answerUnless answers with what a call came back with, unless that is an error.
func (d *door) answerUnless(err error, v any, say func()) error {
	if err != nil {
		return err
	}
	return d.answer(v, say)
}

// say writes one line for a person, beside a file that goes to standard output.
func (d *door) say(format string, args ...any) {
	if d.passing != nil {
		d.note(format, args...)
		return
	}
	terminal.Line(d.env.Stdout, format, args...)
}

// sayIf is say for what is only said where it is so.
func (d *door) sayIf(so bool, format string, args ...any) {
	if so {
		d.say(format, args...)
	}
}

// note writes one line that is not part of the answer.
func (d *door) note(format string, args ...any) { terminal.Line(d.env.Stderr, format, args...) }

// prompt asks for something to be typed, on the same line.
func (d *door) prompt(format string, args ...any) {
	_, _ = io.WriteString(d.env.Stderr, terminal.Sentence(format, args...))
}

// when is a time as lists show it.
func when(t memory.Time) string {
	if t.IsZero() {
		return "date unknown"
	}
	return t.String()
}

// sayText writes a text for a person with the lines it has.
func (d *door) sayText(text string) {
	_, _ = io.WriteString(d.env.Stdout, terminal.Printable(text)+"\n")
}

// tellJSON writes one object of progress.
func (d *door) tellJSON(v any) { _ = json.NewEncoder(terminal.JSON(d.env.Stderr)).Encode(v) }

// tellLine writes progress over the line before.
func (d *door) tellLine(text string) {
	_, _ = io.WriteString(d.env.Stderr, "\r"+terminal.Printable(text))
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

func oneOrOther(is bool, one, other string) string {
	if is {
		return one
	}
	return other
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

// oneLine is printable text cut to a line of at most n characters.
func oneLine(s string, n int) string {
	runes := []rune(terminal.Printable(strings.Join(strings.Fields(s), " ")))
	if len(runes) > n {
		return string(runes[:n-1]) + "…"
	}
	return string(runes)
}
