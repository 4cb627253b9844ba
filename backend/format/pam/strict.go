package pam

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/jcs"
)

// placed is a text's mistake and the JSON pointer of the piece that it is in.
type placed struct {
	path string
	err  error
}

func (p placed) Error() string { return p.path + ": " + p.err.Error() }
func (p placed) Unwrap() error { return p.err }

// placedAt says in which piece of a document a text's mistake is; other errors
// stay as they are.
func placedAt(path string, err error) error {
	var inside placed
	switch {
	case !errors.Is(err, errNotJSON):
		return err
	case errors.As(err, &inside):
		return notJSON(placed{path + inside.path, inside.err})
	}
	return notJSON(placed{path, err})
}

// notStrictJSON reads a piece that is not strict JSON once more, to say where
// and why.
func notStrictJSON(raw []byte) error {
	_, err := jsontext.NewDecoder(bytes.NewReader(raw)).ReadValue()
	var where *jsontext.SyntacticError
	if errors.As(err, &where) {
		return notJSON(placed{string(where.JSONPointer), err})
	}
	return notJSON(err)
}

// Mistake says why a text has no canonical form (RFC 8785), without quoting it, and the
// JSON pointer of where that is; "" for what is not known.
func Mistake(raw []byte) (found, place string) {
	if jcs.IsTooDeep(raw) {
		return reasonOf(jcs.ErrDepth), deepIn(bytes.NewReader(raw))
	}
	if place := roundedIn(raw, ""); place != "" {
		return "a number that programs round differently", place
	}
	d := jsontext.NewDecoder(bytes.NewReader(raw))
	_, err := d.ReadValue()
	if err == nil {
		return "more behind its end", ""
	}
	var where *jsontext.SyntacticError
	if errors.As(err, &where) {
		place = string(where.JSONPointer)
	}
	return reasonOf(err), place
}

// PlaceOf is the JSON pointer of what cannot be read; "" where it is not known.
func PlaceOf(err error) string {
	var p placed
	if errors.As(err, &p) {
		return p.path
	}
	var kind *json.SemanticError
	if errors.As(err, &kind) {
		return string(kind.JSONPointer)
	}
	return ""
}

// reasonOf says why a text is not strict JSON, without quoting it.
func reasonOf(err error) string {
	if err == nil {
		return ""
	}
	var where *jsontext.SyntacticError
	text := ""
	if errors.As(err, &where) && where.Err != nil {
		text = where.Err.Error()
	}
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return "a name that stands twice"
	case errors.Is(err, jcs.ErrDepth), strings.Contains(text, "depth"):
		return "arrays and objects nested too deep"
	case strings.Contains(text, "UTF-8"):
		return "text that is not UTF-8"
	case strings.Contains(text, "surrogate"):
		return "half of a pair of surrogates"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "the end of the text, too early"
	}
	return "what is not JSON"
}

// deepIn is the place of what is nested too deep, to the level that a person follows.
func deepIn(r io.Reader) string {
	d := jsontext.NewDecoder(r)
	for {
		if _, err := d.ReadToken(); err != nil {
			return ""
		}
		if d.StackDepth() <= jcs.MaxDepth {
			continue
		}
		parts := strings.Split(string(d.StackPointer()), "/")
		return strings.Join(parts[:min(len(parts), 5)], "/")
	}
}
