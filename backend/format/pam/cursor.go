package pam

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strconv"
	"unicode/utf8"
)

// cursor reads JSON that stands in canonical form (RFC 8785), one byte after
// the other. Every method reports whether what it met is canonical and of the
// kind that was asked for; after a "no" nothing else it says counts. A "no" is
// no verdict: it only sends the text the long way.
type cursor struct {
	b     []byte
	i     int
	depth int
}

// maxNested bounds open values inside metadata; deeper ones go the long way.
const maxNested = 32

func (c *cursor) eat(want byte) bool {
	if c.i < len(c.b) && c.b[c.i] == want {
		c.i++
		return true
	}
	return false
}

func (c *cursor) word(want string) bool {
	if len(c.b)-c.i >= len(want) && string(c.b[c.i:c.i+len(want)]) == want {
		c.i += len(want)
		return true
	}
	return false
}

// object reads an object; member reads the value behind each name. Names are
// ASCII without escapes, so that their order in bytes is the canonical one.
func (c *cursor) object(member func(name []byte) bool) bool {
	if !c.eat('{') {
		return false
	}
	if c.eat('}') {
		return true
	}
	var before []byte
	for {
		name, ok := c.name()
		if !ok || before != nil && bytes.Compare(before, name) >= 0 {
			return false
		}
		before = name
		if !c.eat(':') || !member(name) {
			return false
		}
		if !c.eat(',') {
			return c.eat('}')
		}
	}
}

// name reads a string of ASCII without escapes.
func (c *cursor) name() ([]byte, bool) {
	if !c.eat('"') {
		return nil, false
	}
	start := c.i
	c.i += plain(c.b[start:])
	return c.b[start:c.i], c.eat('"')
}

// array reads an array; element reads each of its values.
func (c *cursor) array(element func() bool) bool {
	if !c.eat('[') {
		return false
	}
	if c.eat(']') {
		return true
	}
	for element() {
		if !c.eat(',') {
			return c.eat(']')
		}
	}
	return false
}

// text reads a string and returns what stands between its quotes, with its
// escapes as they are; it is not nil where it is ok.
func (c *cursor) text() (raw []byte, ok bool) {
	if !c.eat('"') {
		return nil, false
	}
	start, ascii := c.i, true
	for {
		c.i += plain(c.b[c.i:])
		if c.i == len(c.b) {
			return nil, false
		}
		switch b := c.b[c.i]; {
		case b == '"':
			raw = c.b[start:c.i]
			c.i++
			return raw, ascii || utf8.Valid(raw)
		case b == '\\':
			if !c.escape() {
				return nil, false
			}
		case b >= utf8.RuneSelf:
			ascii = false
			for c.i < len(c.b) && c.b[c.i] >= utf8.RuneSelf {
				c.i++
			}
		default: // a control character
			return nil, false
		}
	}
}

// plain is how many bytes at the start of b are ASCII that stands in a string
// as it is. It looks at eight at a time, since most text is nothing else: in
// each byte of special the highest bit says that this byte is not plain. A
// borrow can set it wrongly, but only above one that is set rightly, and the
// lowest is what counts.
func plain(b []byte) int {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	n := 0
	for ; len(b)-n >= 8; n += 8 {
		w := binary.LittleEndian.Uint64(b[n:])
		quote, backslash := w^(ones*'"'), w^(ones*'\\')
		special := (w | (w-ones*' ')&^w | (quote-ones)&^quote | (backslash-ones)&^backslash) & high
		if special != 0 {
			return n + bits.TrailingZeros64(special)/8
		}
	}
	for n < len(b) && b[n] >= ' ' && b[n] < utf8.RuneSelf && b[n] != '"' && b[n] != '\\' {
		n++
	}
	return n
}

// escape reads one of the escapes of RFC 8785 §3.2.2.2.
func (c *cursor) escape() bool {
	rest := c.b[c.i:]
	if len(rest) < 2 {
		return false
	}
	if bytes.IndexByte([]byte(`"\bfnrt`), rest[1]) >= 0 {
		c.i += 2
		return true
	}
	if len(rest) < 6 || string(rest[1:4]) != "u00" || rest[4] != '0' && rest[4] != '1' || !isLowerHex(rest[5]) {
		return false
	}
	if rest[4] == '0' && bytes.IndexByte([]byte("89acd"), rest[5]) >= 0 { // have a short form
		return false
	}
	c.i += 6
	return true
}

func isLowerHex(b byte) bool { return '0' <= b && b <= '9' || 'a' <= b && b <= 'f' }

// number reads a number and returns its value.
func (c *cursor) number() (float64, bool) {
	start := c.i
	for c.i < len(c.b) && isNumberByte(c.b[c.i]) {
		c.i++
	}
	literal := c.b[start:c.i]
	if len(literal) == 0 || len(literal) > 24 {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(literal), 64)
	if err != nil || f >= 1e15 || f <= -1e15 || f != 0 && f < 1e-6 && f > -1e-6 {
		return 0, false // the canonical form may have an exponent, or be rounded
	}
	var shortest [32]byte
	return f, bytes.Equal(strconv.AppendFloat(shortest[:0], f, 'f', -1, 64), literal) && string(literal) != "-0"
}

func isNumberByte(b byte) bool {
	return isDigit(b) || b == '.' || b == '-' || b == '+' || b == 'e' || b == 'E'
}

// anything reads any value.
func (c *cursor) anything() bool {
	if c.i == len(c.b) {
		return false
	}
	switch c.b[c.i] {
	case '"':
		_, ok := c.text()
		return ok
	case '{', '[':
		return c.nested()
	case 't':
		return c.word("true")
	case 'f':
		return c.word("false")
	case 'n':
		return c.word("null")
	}
	_, ok := c.number()
	return ok
}

func (c *cursor) nested() bool {
	if c.depth++; c.depth > maxNested {
		return false
	}
	defer func() { c.depth-- }()
	if c.b[c.i] == '[' {
		return c.array(c.anything)
	}
	return c.object(func([]byte) bool { return c.anything() })
}
