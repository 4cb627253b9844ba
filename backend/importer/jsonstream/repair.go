package jsonstream

import (
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
)

// mending counts what of a text was not as it should be.
type mending struct {
	replaced int // sequences that were no Unicode
	doubled  int // members that a later one of the same name stands for
}

func (m *mending) add(n mending) {
	m.replaced += n.replaced
	m.doubled += n.doubled
}

// checked validates one element. What is only wrong in its Unicode is mended
// and counted, and of members with the same name the last counts, so that
// what is stored verbatim can be canonicalized later. Anything else is a bad
// element.
func checked(raw []byte, broken *fault.Error) (jsontext.Value, mending, *fault.Error) {
	var m mending
	if broken != nil {
		return nil, m, broken
	}
	v := jsontext.Value(raw)
	if v.IsValid() {
		return v, m, nil
	}
	if !v.IsValid(jsontext.AllowDuplicateNames(true)) {
		v, m.replaced = repair(raw)
	}
	if v.IsValid(jsontext.AllowDuplicateNames(true)) {
		if v, m.doubled = unique(v); v.IsValid() {
			return v, m, nil
		}
	}
	return nil, mending{}, fault.New(fault.Invalid, "item-not-json", "Item {at} of {name} is not valid JSON and was left out.")
}

// repair replaces, inside strings, invalid UTF-8 and lone surrogates by U+FFFD
// and raw control characters by their escapes. It counts what it touched.
func repair(raw []byte) (jsontext.Value, int) {
	out := make([]byte, 0, len(raw)+16)
	count, inString := 0, false
	for i := 0; i < len(raw); {
		c := raw[i]
		switch {
		case !inString || c == '"':
			inString = inString != (c == '"')
			out = append(out, c)
			i++
		case c == '\\':
			n, lone := escape(raw[i:])
			if lone {
				out = append(out, `\ufffd`...)
				count++
			} else {
				out = append(out, raw[i:i+n]...)
			}
			i += n
		case c < 0x20:
			const hex = "0123456789abcdef"
			out = append(out, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			count++
			i++
		default:
			r, n := utf8.DecodeRune(raw[i:])
			if r == utf8.RuneError && n == 1 {
				count++
			}
			out = utf8.AppendRune(out, r)
			i += n
		}
	}
	return out, count
}

// escape measures the escape at the start of p: a pair of surrogates counts as
// one, and a surrogate without its other half is lone.
func escape(p []byte) (n int, lone bool) {
	if len(p) < 2 {
		return len(p), false
	}
	if p[1] != 'u' || len(p) < 6 {
		return 2, false
	}
	switch high(p[2:6]) {
	case 0:
		return 6, false
	case 'd':
		if len(p) >= 12 && p[6] == '\\' && p[7] == 'u' && high(p[8:12]) == 'c' {
			return 12, false
		}
	}
	return 6, true
}

// high tells a leading surrogate ('d', D800–DBFF) from a trailing one ('c',
// DC00–DFFF) by its hexadecimal digits; 0 is neither.
func high(hex []byte) byte {
	if hex[0] != 'd' && hex[0] != 'D' {
		return 0
	}
	switch hex[1] {
	case '8', '9', 'a', 'b', 'A', 'B':
		return 'd'
	case 'c', 'd', 'e', 'f', 'C', 'D', 'E', 'F':
		return 'c'
	}
	return 0
}
