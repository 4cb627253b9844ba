package jcs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/gowebpki/jcs"
)

// MaxDepth is how deep arrays and objects may be nested.
const MaxDepth = 128

// Transform returns the canonical form of one JSON document. Refused with
// ErrInvalid, apart from what is not JSON: duplicate names, invalid UTF-8, lone
// surrogates, nesting over MaxDepth, numbers that a double cannot hold, and
// integers beyond ±(2^53−1), which canonicalization would round.
func Transform(raw []byte) ([]byte, error) {
	if err := Check(raw); err != nil {
		return nil, err
	}
	out, err := jcs.Transform(raw)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return out, nil
}

// Fast is Transform by a second implementation, some four times as fast, for
// files that are read by the hundred thousand memories. A fuzz target holds the
// two equal, in what they refuse too.
func Fast(raw []byte) ([]byte, error) {
	if err := Check(raw); err != nil {
		return nil, err
	}
	out := jsontext.Value(bytes.Clone(raw))
	if err := out.Canonicalize(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return out, nil
}

// Marshal is Transform over the plain JSON of v. It never escapes < > &. Since
// it is for what we write, it also refuses 1e20, whose form is a whole number
// that others refuse to read.
func Marshal(v any) ([]byte, error) { return marshal(v, Transform) }

// MarshalFast is Marshal by the implementation of Fast, for memories: each edit writes
// one, and an import a hundred thousand.
func MarshalFast(v any) ([]byte, error) { return marshal(v, Fast) }

func marshal(v any, canonical func([]byte) ([]byte, error)) ([]byte, error) {
	text, err := plain(v)
	if err != nil {
		return nil, err
	}
	out, err := canonical(text)
	if err != nil {
		return nil, err
	}
	return out, Check(out)
}

// MarshalReadable is Marshal of what is doubles by nature, such as vectors, in the form
// of Readable: 1e20 is taken, and written with its exponent. What v has of whole numbers
// must be within ±(2^53−1).
func MarshalReadable(v any) ([]byte, error) {
	text, err := plain(v)
	if err != nil {
		return nil, err
	}
	out, err := Transform(Readable(text))
	if err != nil {
		return nil, err
	}
	return Readable(out), nil
}

func plain(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("marshal value: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Reasons to refuse a document; every error of this room is an ErrInvalid.
var (
	ErrInvalid    = errors.New("not JSON that has one canonical form")
	ErrDepth      = fmt.Errorf("%w: nested deeper than %d levels", ErrInvalid, MaxDepth)
	ErrBigInteger = fmt.Errorf("%w: a whole number beyond ±9007199254740991 would be rounded", ErrInvalid)
	ErrBigNumber  = fmt.Errorf("%w: a number that no double can hold", ErrInvalid)
)

// Check looks at what makes JSON lose its one form, and what the two
// implementations treat differently: depth, rounded integers, numbers out of
// range. What is no JSON at all may pass.
func Check(raw []byte) error {
	if IsTooDeep(raw) {
		return ErrDepth
	}
	for i := 0; i < len(raw); {
		switch c := raw[i]; {
		case c == '"':
			i = afterString(raw, i)
		case c == '-' || '0' <= c && c <= '9':
			end := afterNumber(raw, i)
			if err := checkNumber(raw[i:end]); err != nil {
				return err
			}
			i = end
		default:
			i++
		}
	}
	return nil
}

// Readable is a canonical form as others read it: what is a double without an
// exponent there, such as 100000000000000000000, is a whole number that they refuse
// to round. With its exponent it is the same double, and its canonical form the same.
func Readable(canonical []byte) []byte {
	if Check(canonical) == nil {
		return canonical
	}
	var out []byte
	for i := 0; i < len(canonical); {
		from := i
		switch c := canonical[i]; {
		case c == '"':
			i = afterString(canonical, i)
		case c == '-' || '0' <= c && c <= '9':
			i = afterNumber(canonical, i)
			out = append(out, withExponent(canonical[from:i])...)
			continue
		default:
			i++
		}
		out = append(out, canonical[from:i]...)
	}
	return out
}

func withExponent(number []byte) []byte {
	if f, err := strconv.ParseFloat(string(number), 64); err == nil && errors.Is(checkNumber(number), ErrBigInteger) {
		return strconv.AppendFloat(nil, f, 'e', -1, 64)
	}
	return number
}

// IsTooDeep reports nesting over MaxDepth.
func IsTooDeep(raw []byte) bool { return IsDeeper(raw, MaxDepth) }

// IsDeeper reports nesting over a number of levels, also of what is not JSON. It
// counts brackets before it looks at how they are nested.
func IsDeeper(raw []byte, most int) bool {
	if bytes.Count(raw, []byte("["))+bytes.Count(raw, []byte("{")) <= most {
		return false
	}
	depth := 0
	for i := 0; i < len(raw); {
		switch raw[i] {
		case '"':
			i = afterString(raw, i)
			continue
		case '{', '[':
			if depth++; depth > most {
				return true
			}
		case '}', ']':
			depth--
		}
		i++
	}
	return false
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

// longNumber is a length from which a literal without an exponent may exceed a
// double, in characters.
const longNumber = 300

// checkNumber refuses integer literals beyond ±(2^53−1) and what overflows.
func checkNumber(number []byte) error {
	digits := bytes.TrimPrefix(number, []byte("-"))
	if !bytes.ContainsAny(digits, ".eE") {
		const largest = "9007199254740991"
		if len(digits) > len(largest) || len(digits) == len(largest) && string(digits) > largest {
			return ErrBigInteger
		}
		return nil
	}
	if len(digits) < longNumber && !bytes.ContainsAny(digits, "eE") {
		return nil
	}
	if f, err := strconv.ParseFloat(string(number), 64); err != nil && math.IsInf(f, 0) {
		return ErrBigNumber
	}
	return nil
}
