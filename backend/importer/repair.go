package importer

import (
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
)

// checked validates one element. What is only wrong in its Unicode is mended
// and counted, and of members with the same name the last is kept, so that
// what is stored verbatim can be canonicalized later. Anything else is a bad
// element.
func checked(raw []byte, broken *fault.Error) (jsontext.Value, int, *fault.Error) {
	if broken != nil {
		return nil, 0, broken
	}
	v := jsontext.Value(raw)
	if v.IsValid() {
		return v, 0, nil
	}
	count := 0
	if !v.IsValid(jsontext.AllowDuplicateNames(true)) {
		v, count = repair(raw)
	}
	if v.IsValid(jsontext.AllowDuplicateNames(true)) {
		if v = unique(nil, v); v.IsValid() {
			return v, count, nil
		}
	}
	return nil, 0, fault.New(fault.Invalid, "item-not-json", "Item {at} of {name} is not valid JSON and was left out.")
}

// unique appends v to out, without members that a later one of the same name
// replaces. Depth is bounded by the scanner.
func unique(out []byte, v jsontext.Value) []byte {
	switch v.Kind() {
	case '[':
		out = append(out, '[')
		for i, item := range Items(v) {
			if i > 0 {
				out = append(out, ',')
			}
			out = unique(out, item)
		}
		return append(out, ']')
	case '{':
		last := map[string]int{}
		n := 0
		for name := range Members(v) {
			last[name] = n
			n++
		}
		return uniqueMembers(out, v, last)
	}
	return append(out, v...)
}

func uniqueMembers(out []byte, v jsontext.Value, last map[string]int) []byte {
	n, sep := 0, byte('{')
	for name, value := range Members(v) {
		if last[name] == n {
			out = append(out, sep)
			out, _ = jsontext.AppendQuote(out, name)
			out = unique(append(out, ':'), value)
			sep = ','
		}
		n++
	}
	if sep == '{' {
		out = append(out, '{')
	}
	return append(out, '}')
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
