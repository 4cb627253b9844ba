package pasted

import (
	"errors"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/importer/jsonstream"
)

// A text that is JSON as a whole is an answer of an assistant or something of a program.
// A program's is no list of statements, however many words stand in it.

// idNames are members that tell statements apart, and say nothing of a person.
var idNames = []string{"id", "uuid", "key", "source"}

// cutTokens is how many tokens the beginning of a JSON value has at least, by which it
// is told from a bracket that somebody typed.
const cutTokens = 3

// wholeJSON are the values of a text that is JSON from its first character to its last:
// one, or one after the other as in a file of lines. cut says that the last one has no
// end. A single number or word is a text.
func wholeJSON(text string) (values []jsontext.Value, cut, ok bool) {
	text = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(text), "\uFEFF"))
	if text == "" || !strings.ContainsRune(`[{"`, rune(text[0])) {
		return nil, false, false
	}
	dec := jsontext.NewDecoder(strings.NewReader(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		begin, kind := dec.InputOffset(), dec.PeekKind()
		v, err := dec.ReadValue()
		switch {
		case errors.Is(err, io.EOF):
			return values, false, len(values) > 0
		case errors.Is(err, io.ErrUnexpectedEOF):
			return values, true, (kind == '[' || kind == '{') && isBegun(text[begin:])
		case err != nil, kind != '[' && kind != '{' && (kind != '"' || begin > 0 || int(dec.InputOffset()) < len(text)):
			return nil, false, false
		}
		values = append(values, v.Clone())
	}
}

// isBegun reports enough of a JSON value that was cut off.
func isBegun(text string) bool {
	dec := jsontext.NewDecoder(strings.NewReader(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for range cutTokens {
		if _, err := dec.ReadToken(); err != nil {
			return false
		}
	}
	return true
}

// ofJSON is what a text holds that is JSON as a whole.
func ofJSON(text string, values []jsontext.Value, cut bool) answer {
	a := answer{shape: marked, skipped: map[string]int{}, isAnswer: true}
	if cut {
		a.entries, a.isAnswer, _ = takeJSON(text)
		a.foreign = len(a.entries) == 0 || !a.isAnswer
		return a
	}
	for _, v := range values {
		a.entries = append(a.entries, statementsIn(v, "")...)
		a.isAnswer = a.isAnswer && isAnswer(v)
		a.foreign = a.foreign || v.Kind() == '"' || !isAnswer(v, idNames...) || !saysSomething(v)
	}
	a.foreign = a.foreign || len(a.entries) == 0
	return a
}

// saysSomething reports that texts without a name, in a list or a section, read like
// statements: of more than one word, or in a script that parts none.
func saysSomething(v jsontext.Value) bool {
	if text, ok := jsonstream.Text(v); ok {
		return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r > 0x2E80 })
	}
	if v.Kind() == '[' {
		for _, item := range jsonstream.Items(v) {
			if !saysSomething(item) {
				return false
			}
		}
		return true
	}
	if v.Kind() != '{' {
		return false
	}
	for name, value := range jsonstream.Members(v) {
		if slices.Contains(textNames, strings.ToLower(name)) {
			return true
		}
		if (value.Kind() == '[' || value.Kind() == '{') && !saysSomething(value) {
			return false
		}
	}
	return true
}

// mostInVain bounds how many bytes of a text are read in vain where each of its lines may
// begin a JSON value: a few times all of them. Lists with dates in brackets need a few
// bytes for each line; brackets that are never closed would be read to the end each time.
func mostInVain(text string) int { return 8 * len(text) }

// readInVain is how many bytes of a text were read until its JSON ended in an error.
func readInVain(err error, text string) int {
	var bad *jsontext.SyntacticError
	if errors.As(err, &bad) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return int(bad.ByteOffset) + 1
	}
	return len(text)
}

// withoutJSON takes out of a text what stands in it as JSON, from the beginning of a line
// to the end of one: a piece of a program, and no words of anybody.
func withoutJSON(text string) (rest string, taken int) {
	var b strings.Builder
	from, left := 0, mostInVain(text)
	for at := 0; at < len(text) && left > 0; {
		line, _, _ := strings.Cut(text[at:], "\n")
		n, isJSON := 0, false
		if body := strings.TrimLeft(line, " \t"); body != "" && (body[0] == '[' || body[0] == '{') {
			n, isJSON = jsonLines(text[at:])
		}
		if !isJSON {
			left -= n
			at += len(line) + 1
			continue
		}
		b.WriteString(text[from:at])
		taken++
		at += n
		from = at
	}
	return b.String() + text[from:], taken
}

// jsonLines is how long the JSON value is with which a text begins, up to the end of its
// last line; not ok where there is none, or something stands behind it, and n bytes were
// read to tell.
func jsonLines(text string) (n int, ok bool) {
	dec := jsontext.NewDecoder(strings.NewReader(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if _, err := dec.ReadValue(); err != nil {
		return readInVain(err, text), false
	}
	n = int(dec.InputOffset())
	behind, _, _ := strings.Cut(text[n:], "\n")
	return n + len(behind), strings.Trim(behind, " \t,;") == ""
}

func errForeign(name string) *fault.Error {
	return fault.New(fault.Unsupported, "unread-json", "{name} is JSON, and of no kind that Keepsake reads, so nothing of it was taken.").
		With("name", name).
		Advise("Drop the file as its program gave it, or paste the words alone.")
}
