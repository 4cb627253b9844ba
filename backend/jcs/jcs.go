package jcs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/gowebpki/jcs"
)

// MaxDepth is how deep arrays and objects may be nested.
const MaxDepth = 128

// Transform returns the canonical form of one JSON document. Refused with
// ErrInvalid, apart from what is not JSON: duplicate names, invalid UTF-8, lone
// surrogates, nesting over MaxDepth, numbers that a double cannot hold, and
// integers beyond ±(2^53−1), which canonicalization would round.
func Transform(raw []byte) ([]byte, error) {
	if err := check(raw); err != nil {
		return nil, err
	}
	out, err := jcs.Transform(raw)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return out, nil
}

// Marshal is Transform over the plain JSON of v. It never escapes < > &.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("marshal value: %w", err)
	}
	return Transform(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// Reasons to refuse a document; every error of this room is an ErrInvalid.
var (
	ErrInvalid    = errors.New("not JSON that has one canonical form")
	ErrDepth      = fmt.Errorf("%w: nested deeper than %d levels", ErrInvalid, MaxDepth)
	ErrBigInteger = fmt.Errorf("%w: a whole number beyond ±9007199254740991 would be rounded", ErrInvalid)
)

// check looks at what the referee does not refuse: depth and rounded integers.
func check(raw []byte) error {
	depth := 0
	for i := 0; i < len(raw); {
		switch c := raw[i]; {
		case c == '"':
			i = afterString(raw, i)
			continue
		case c == '{' || c == '[':
			if depth++; depth > MaxDepth {
				return ErrDepth
			}
		case c == '}' || c == ']':
			depth--
		case c == '-' || '0' <= c && c <= '9':
			end := afterNumber(raw, i)
			if isRounded(raw[i:end]) {
				return ErrBigInteger
			}
			i = end
			continue
		}
		i++
	}
	return nil
}

func afterString(raw []byte, i int) int {
	for i++; i < len(raw); i++ {
		switch raw[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(raw)
}

func afterNumber(raw []byte, i int) int {
	for i < len(raw) && bytes.IndexByte([]byte("+-.eE0123456789"), raw[i]) >= 0 {
		i++
	}
	return i
}

// isRounded reports an integer literal beyond ±(2^53−1).
func isRounded(number []byte) bool {
	digits := bytes.TrimPrefix(number, []byte("-"))
	if bytes.ContainsAny(digits, ".eE") {
		return false
	}
	const largest = "9007199254740991"
	return len(digits) > len(largest) || len(digits) == len(largest) && string(digits) > largest
}
