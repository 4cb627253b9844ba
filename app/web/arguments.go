package web

import (
	"encoding/json"
	"io"

	"keepsake/backend/fault"
)

// Limits of what a call may hold, counted before any of it is decoded: a value takes
// two bytes to send and up to hundreds in memory.
const (
	maxValues = 250_000 // in all its arguments; as many ids do not fit into maxCall
	maxDepth  = 64
)

// asked is a call as the page sends it.
type asked struct {
	Name string            `json:"name"`
	Args []json.RawMessage `json:"args"`
}

// readCall reads a call. What its arguments are is for the method to say.
func readCall(r io.Reader) (a asked, err error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return a, errBadCall(err)
	}
	if err := measure(text); err != nil {
		return a, err
	}
	if err := json.Unmarshal(text, &a); err != nil {
		return a, errBadCall(err)
	}
	return a, nil
}

func errBadCall(cause error) error {
	return fault.New(fault.Invalid, "bad-call", "The page sent something that is no call.").Because(cause)
}

// measure refuses JSON with too many values or too much depth. What else is wrong
// with it is for the decoder to say.
func measure(text []byte) error {
	values, depth, inText := 1, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inText && c == '\\':
			i++
		case c == '"':
			inText = !inText
		case inText:
		case c == '[' || c == '{':
			depth++
			values++
		case c == ']' || c == '}':
			depth--
		case c == ',':
			values++
		}
		if values > maxValues || depth > maxDepth {
			return fault.New(fault.TooLarge, "call-too-large", "The page sent a call with more than {values} values, or with lists in each other deeper than {depth}. Nothing was done.").
				With("values", maxValues).With("depth", maxDepth)
		}
	}
	return nil
}
