package jsonstream

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"iter"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// The functions below walk values that a Stream has validated already. They
// copy nothing but strings: what they yield lies inside v.

// Members yields name and value of each member of an object, in order and with
// duplicates. Anything but an object has none.
func Members(v jsontext.Value) iter.Seq2[string, jsontext.Value] {
	return func(yield func(string, jsontext.Value) bool) {
		for quoted, value := range Pairs(v) {
			name, _ := Text(quoted)
			if !yield(name, value) {
				return
			}
		}
	}
}

// Pairs is Members with the names as they are written, in quotes: nothing is
// copied.
func Pairs(v jsontext.Value) iter.Seq2[jsontext.Value, jsontext.Value] {
	return func(yield func(name, value jsontext.Value) bool) {
		i := skipSpace(v, 0)
		if i >= len(v) || v[i] != '{' {
			return
		}
		for i = skipSpace(v, i+1); i < len(v) && v[i] == '"'; {
			end := valueEnd(v, i)
			from := skipSpace(v, skipSpace(v, end)+1) // over the colon
			to := valueEnd(v, from)
			if !yield(v[i:end], v[from:to]) {
				return
			}
			if i = skipSpace(v, to); i < len(v) && v[i] == ',' {
				i = skipSpace(v, i+1)
			}
		}
	}
}

// Items yields position and value of each element of an array. Anything but an
// array has none.
func Items(v jsontext.Value) iter.Seq2[int, jsontext.Value] {
	return func(yield func(int, jsontext.Value) bool) {
		i := skipSpace(v, 0)
		if i >= len(v) || v[i] != '[' {
			return
		}
		i = skipSpace(v, i+1)
		for n := 0; i < len(v) && v[i] != ']'; n++ {
			to := valueEnd(v, i)
			if !yield(n, v[i:to]) {
				return
			}
			if i = skipSpace(v, to); i < len(v) && v[i] == ',' {
				i = skipSpace(v, i+1)
			}
		}
	}
}

// Member is the last member of that name; nil when there is none.
func Member(v jsontext.Value, name string) jsontext.Value {
	var found jsontext.Value
	for quoted, value := range Pairs(v) {
		if Says(quoted, name) {
			found = value
		}
	}
	return found
}

// FirstMember is the first of these members that is there; nil when none is.
func FirstMember(v jsontext.Value, names ...string) jsontext.Value {
	for _, name := range names {
		if m := Member(v, name); m != nil {
			return m
		}
	}
	return nil
}

// Text is the string v holds; false for anything else.
func Text(v jsontext.Value) (string, bool) {
	if len(v) < 2 || v[0] != '"' {
		return "", false
	}
	if v[len(v)-1] == '"' && bytes.IndexByte(v, '\\') < 0 {
		return string(v[1 : len(v)-1]), true // the stream has checked it
	}
	if text, ok := unescaped(v[1 : len(v)-1]); ok && v[len(v)-1] == '"' {
		return text, true
	}
	out, err := jsontext.AppendUnquote(nil, []byte(v))
	return string(out), err == nil
}

// Says reports that v is exactly this text.
func Says(v jsontext.Value, s string) bool {
	if len(v) == len(s)+2 && strings.IndexByte(s, '\\') < 0 {
		return v[0] == '"' && string(v[1:len(v)-1]) == s
	}
	if plain, ok := Plain(v); ok {
		return string(plain) == s
	}
	text, ok := Text(v)
	return ok && text == s
}

// Plain is the text of a string that is written without escapes, inside v;
// false for anything else.
func Plain(v jsontext.Value) ([]byte, bool) {
	if len(v) < 2 || v[0] != '"' || v[len(v)-1] != '"' || bytes.IndexByte(v, '\\') >= 0 {
		return nil, false
	}
	return v[1 : len(v)-1], true
}

// unescaped is the text of what stands between quotes, made in one piece; false
// where an escape is not as it should be.
func unescaped(p []byte) (string, bool) {
	var out strings.Builder
	out.Grow(len(p))
	for len(p) > 0 {
		if n := bytes.IndexByte(p, '\\'); n != 0 {
			if n < 0 {
				n = len(p)
			}
			out.Write(p[:n])
			p = p[n:]
			continue
		}
		r, n := rune(0), 0
		if r, n = escapedRune(p); n == 0 {
			return "", false
		}
		out.WriteRune(r)
		p = p[n:]
	}
	if out.Len() < out.Cap()/4*3 { // letters that were all escapes, as Python writes those of most languages
		return strings.Clone(out.String()), true
	}
	return out.String(), true
}

// escapedRune reads the escape at the start of p and says how many bytes it
// takes: 0 where it is none, 12 for a pair of surrogates.
func escapedRune(p []byte) (rune, int) {
	if len(p) < 2 {
		return 0, 0
	}
	switch p[1] {
	case 'n':
		return '\n', 2
	case '"', '\\', '/':
		return rune(p[1]), 2
	case 't':
		return '\t', 2
	case 'r':
		return '\r', 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'u':
		r, ok := hexRune(p)
		if !ok {
			return 0, 0
		}
		if !utf16.IsSurrogate(r) {
			return r, 6
		}
		low, ok := hexRune(p[6:])
		if r = utf16.DecodeRune(r, low); ok && r != utf8.RuneError {
			return r, 12
		}
	}
	return 0, 0
}

// hexRune reads \uXXXX at the start of p.
func hexRune(p []byte) (r rune, ok bool) {
	if len(p) < 6 || p[0] != '\\' || p[1] != 'u' {
		return 0, false
	}
	for _, c := range p[2:6] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// Number is the number v holds; false for anything else.
func Number(v jsontext.Value) (float64, bool) {
	if v.Kind() != '0' {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(v), 64)
	return f, err == nil
}

// Count is the number of things that v holds; nil for anything else.
func Count(v jsontext.Value) *int {
	n, ok := Number(v)
	if !ok || n < 0 || n >= 1<<31 || n != float64(int(n)) {
		return nil
	}
	count := int(n)
	return &count
}

// True reports whether v is the literal true.
func True(v jsontext.Value) bool { return string(v) == "true" }

// Keep is v, to be held longer than its element, which it keeps in memory.
func Keep(v jsontext.Value) json.RawMessage { return json.RawMessage(v[:len(v):len(v)]) }

// Without copies an object except the named members. Nil when nothing is left,
// and a plain copy of anything but an object.
func Without(v jsontext.Value, names ...string) json.RawMessage {
	if v.Kind() != '{' {
		return Keep(v)
	}
	var out []byte
	for name, value := range Members(v) {
		if !slices.Contains(names, name) {
			out = AppendMember(out, name, value)
		}
	}
	if out == nil {
		return nil
	}
	return append(out, '}')
}

// AppendMember adds a member to an object under way, whose bracket is still
// open; nil starts one.
func AppendMember(object []byte, name string, value jsontext.Value) []byte {
	if object == nil {
		object = append(object, '{')
	} else {
		object = append(object, ',')
	}
	object, _ = jsontext.AppendQuote(object, name) // mends invalid UTF-8 itself
	object = append(object, ':')
	return append(object, value...)
}

func skipSpace(v []byte, i int) int {
	for i < len(v) && classes[v[i]] == space {
		i++
	}
	return i
}

// valueEnd is where the value that begins at i ends.
func valueEnd(v []byte, i int) int {
	depth := 0
	for i < len(v) {
		switch classes[v[i]] {
		case other:
		case quote:
			i, _ = stringEnd(v, i+1)
			if depth == 0 {
				return i
			}
			continue
		case opening:
			depth++
		case closing:
			if depth--; depth <= 0 {
				return i + 1 + depth // a bracket that is not ours stays outside
			}
		case comma, colon, space:
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return len(v)
}

// endOrEscape is the first of eight bytes that is a quote or a backslash, 8 for
// none.
func endOrEscape(x uint64) int {
	const each = 0x0101010101010101
	q, b := x^each*'"', x^each*'\\'                                      // zero where they are
	return bits.TrailingZeros64(((q-each)&^q|(b-each)&^b)&(each<<7)) / 8 // exact for the first
}

// shortString is up to where a string is looked through in small steps. Most
// are names and ids.
const shortString = 64

// stringEnd is the place after the string whose text goes on at i, and whether
// it ended in v. It is len(v)+1 where v ends in the middle of an escape.
func stringEnd(v []byte, i int) (end int, closed bool) {
	for short := i + shortString; i < short && i+8 <= len(v); i += 8 {
		if n := endOrEscape(binary.LittleEndian.Uint64(v[i:])); n < 8 {
			if i += n; v[i] == '"' {
				return i + 1, true
			}
			break
		}
	}
	close := -1
	for i <= len(v) {
		if close < i {
			if close = bytes.IndexByte(v[i:], '"'); close < 0 {
				close = len(v)
			} else {
				close += i
			}
		}
		slash := bytes.IndexByte(v[i:close], '\\')
		if slash < 0 {
			if close == len(v) {
				return len(v), false
			}
			return close + 1, true
		}
		i += slash + 2
	}
	return i, false
}
