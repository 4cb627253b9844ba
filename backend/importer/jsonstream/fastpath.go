package jsonstream

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"slices"
	"unicode/utf8"
)

// fastPath finds the end of an object or array and checks it in the same pass: names
// met once, no broken Unicode, nothing over a limit. It knows the usual only. Of
// anything else it says that it is in doubt, and the long way, scanner.value and
// checked, decides.
type fastPath struct {
	seed   maphash.Seed
	at     int // bytes of the value that were looked at
	state  want
	depth  int
	levels [maxDepth + 1]level // of the open brackets, from 1
	names  []span              // of the open objects
	hashes []uint64            // scratch space
	big    []bracket           // the larger objects and arrays, in the order in which they begin
	high   uint64              // all bytes of texts or-ed: whether any is not ASCII
}

// level is an open bracket.
type level struct {
	object  bool
	members int
	names   int    // where its names begin
	big     int    // its place in fastPath.big
	seen    uint64 // bits of names met
}

// span is where something stands in the value.
type span struct{ from, to int }

// want is what may come next.
type want int

const (
	aValue     want = iota
	anItem          // a value, or the end of an array
	aMember         // a name, or the end of an object
	aName           // a name after a comma
	aColon          // after a name
	afterValue      // a comma or an end
	inText          // the rest of a text
	inName          // the rest of a name
)

// verdict of a run.
type verdict int

const (
	valid  verdict = iota // the value ends at fastPath.at
	doubt                 // somebody else has to look
	unread                // the value goes on after what was given
)

// fewNames is how many names are compared with each other as they come.
const fewNames = 16

func (s *fastPath) start() {
	if s.seed == (maphash.Seed{}) {
		s.seed = maphash.MakeSeed()
	}
	s.at, s.state, s.depth, s.names, s.big, s.high = 0, aValue, 0, s.names[:0], s.big[:0], 0
}

// run goes on with a value of which v is as much as there is, from its first
// byte; after unread it is called again with more of it.
func (s *fastPath) run(v []byte) verdict {
	for s.at < len(v) {
		switch s.state {
		case inText, inName:
			switch got := s.text(v); {
			case got != valid:
				return got
			case s.state == inText:
				s.state = afterValue
			default:
				s.state = aColon
			}
			continue
		}
		c := v[s.at]
		if classes[c] == space {
			s.at++
			continue
		}
		got := valid
		switch s.state {
		case afterValue:
			got = s.after(c, v)
			if got == valid && s.depth == 0 {
				return s.verdict(v)
			}
		case aColon:
			if c != ':' {
				return doubt
			}
			s.at++
			s.state = aValue
		case aMember, aName:
			got = s.name(c, v)
			if got == valid && s.depth == 0 {
				return s.verdict(v)
			}
		default:
			got = s.value(c, v)
			if got == valid && s.depth == 0 {
				return s.verdict(v)
			}
		}
		if got != valid {
			return got
		}
	}
	return unread
}

// verdict is the last word on a value that has ended.
func (s *fastPath) verdict(v []byte) verdict {
	if s.high&highBits != 0 && !utf8.Valid(v[:s.at]) {
		return doubt
	}
	return valid
}

// value takes the first byte of a value, and the whole of a short one.
func (s *fastPath) value(c byte, v []byte) verdict {
	switch {
	case c == '"':
		s.at++
		s.state = inText
	case c == '{':
		return s.open(level{object: true, names: len(s.names)}, aMember)
	case c == '[':
		return s.open(level{}, anItem)
	case c == ']' && s.state == anItem:
		return s.close(v)
	case c == '-' || '0' <= c && c <= '9':
		return s.ended(numberEnd(v, s.at), v)
	case c == 't':
		return s.word("true", v)
	case c == 'f':
		return s.word("false", v)
	case c == 'n':
		return s.word("null", v)
	default:
		return doubt
	}
	return valid
}

// word takes a literal.
func (s *fastPath) word(w string, v []byte) verdict {
	if rest := v[s.at:]; len(rest) < len(w) {
		return unread
	} else if string(rest[:len(w)]) != w {
		return doubt
	}
	return s.ended(s.at+len(w), v)
}

// ended says that a number or a literal ends there, if what follows is given: a
// text that is cut could go on.
func (s *fastPath) ended(end int, v []byte) verdict {
	switch {
	case end < 0 || end-s.at > maxLiteral:
		return doubt
	case end == len(v):
		return unread
	}
	s.at, s.state = end, afterValue
	return valid
}

func (s *fastPath) open(l level, next want) verdict {
	if s.depth == maxDepth {
		return doubt
	}
	s.depth++
	l.big = len(s.big)
	s.levels[s.depth] = l
	s.big = append(s.big, bracket{from: uint32(s.at)}) // a window is far smaller than 4 GB
	s.at++
	s.state = next
	return valid
}

// close ends what is open.
func (s *fastPath) close(v []byte) verdict {
	l := &s.levels[s.depth]
	if l.object {
		if !s.unlike(s.names[l.names:], v) {
			return doubt
		}
		s.names = s.names[:l.names]
	}
	s.depth--
	s.at++
	if b := &s.big[l.big]; s.at-int(b.from) < bigBracket {
		s.big = s.big[:l.big] // what is inside is smaller still
	} else {
		b.to = uint32(s.at)
	}
	s.state = afterValue
	return valid
}

// after takes what follows a value.
func (s *fastPath) after(c byte, v []byte) verdict {
	l := &s.levels[s.depth]
	switch {
	case c == ',':
		if l.members++; l.members >= maxMembers {
			return doubt
		}
		s.at++
		s.state = aValue
		if l.object {
			s.state = aName
		}
		return valid
	case c == '}' && l.object, c == ']' && !l.object:
		return s.close(v)
	}
	return doubt
}

// name takes the first byte of a member. Its name is looked at once it has
// ended.
func (s *fastPath) name(c byte, v []byte) verdict {
	if c == '}' && s.state == aMember {
		return s.close(v)
	}
	if c != '"' {
		return doubt
	}
	s.at++
	s.names = append(s.names, span{from: s.at})
	s.state = inName
	return valid
}

const (
	eachByte = 0x0101010101010101
	highBits = eachByte << 7
)

// special marks the first of eight bytes that is a quote, a backslash or a
// control character; 0 for none. Bits above the lowest may be wrong.
func special(x uint64) uint64 {
	q, b := x^eachByte*'"', x^eachByte*'\\' // zero where they are
	return ((q-eachByte)&^q | (b-eachByte)&^b | (x-eachByte*' ')&^x) & highBits
}

// text goes on with a text or a name, of which the first quote was taken.
func (s *fastPath) text(v []byte) verdict {
	i, high := s.at, s.high
	for i+8 <= len(v) {
		x := binary.LittleEndian.Uint64(v[i:])
		high |= x
		m := special(x)
		if m == 0 {
			i += 8
			continue
		}
		i += bits.TrailingZeros64(m) / 8
		if v[i] == '"' {
			s.at, s.high = i+1, high
			return s.named(v)
		}
		n := s.escape(v[i:])
		if n <= 0 {
			s.at, s.high = i, high
			return verdict(-n)
		}
		i += n
	}
	s.at, s.high = i, high
	return s.short(v)
}

// short is text for the last bytes of what is given.
func (s *fastPath) short(v []byte) verdict {
	for s.at < len(v) {
		switch c := v[s.at]; {
		case c == '"':
			s.at++
			return s.named(v)
		case c == '\\' || c < ' ':
			n := s.escape(v[s.at:])
			if n <= 0 {
				return verdict(-n)
			}
			s.at += n
		default:
			s.high |= uint64(c)
			s.at++
		}
	}
	return unread
}

// named looks at a name that has ended before s.at; a text is let through.
func (s *fastPath) named(v []byte) verdict {
	if s.state != inName {
		return valid
	}
	name := &s.names[len(s.names)-1]
	name.to = s.at - 1
	l := &s.levels[s.depth]
	all := s.names[l.names:]
	if len(all) > fewNames {
		return valid // close compares them
	}
	text := v[name.from:name.to]
	bit := uint64(1) << (uint(len(text)) & 63)
	if len(text) > 0 {
		bit = 1 << ((uint(text[0]) + 5*uint(text[len(text)-1]) + 11*uint(len(text))) & 63)
	}
	if l.seen&bit != 0 {
		for _, other := range all[:len(all)-1] {
			if string(v[other.from:other.to]) == string(text) {
				return doubt
			}
		}
	}
	l.seen |= bit
	return valid
}

// unlike reports that no two names of an object that has ended are the same.
// Few of them are compared already; of many their hashes are.
func (s *fastPath) unlike(names []span, v []byte) bool {
	if len(names) <= fewNames {
		return true
	}
	hashes := s.hashes[:0]
	for _, name := range names {
		hashes = append(hashes, maphash.Bytes(s.seed, v[name.from:name.to]))
	}
	s.hashes = hashes
	return distinct(hashes)
}

// distinct reports that no two hashes are the same. It sorts and compacts them.
func distinct(hashes []uint64) bool {
	slices.Sort(hashes)
	return len(slices.Compact(hashes)) == len(hashes)
}

// escape measures the escape at the start of p, or several that follow each
// other. Instead of a length it returns -doubt or -unread.
func (s *fastPath) escape(p []byte) int {
	if p[0] != '\\' || s.state == inName { // a name may be written in two ways
		return -int(doubt)
	}
	n := 0
	for n+6 <= len(p) && p[n] == '\\' && p[n+1] == 'u' {
		r, ok := hexRune(p[n:])
		switch {
		case !ok:
			return -int(doubt)
		case r&^0x7ff != 0xd800: // no half of a pair
			n += 6
			continue
		case n+12 > len(p):
			if n > 0 {
				return n
			}
			return -int(unread)
		}
		if low, ok := hexRune(p[n+6:]); r >= 0xdc00 || !ok || low&^0x3ff != 0xdc00 {
			return -int(doubt)
		}
		n += 12
	}
	switch {
	case n > 0:
		return n
	case len(p) < 2 || p[1] == 'u':
		return -int(unread)
	}
	switch p[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	}
	return -int(doubt)
}

// numberEnd is where the number that begins at i ends, -1 where it is none. It
// is len(v) or -1 for one that v cuts.
func numberEnd(v []byte, i int) int {
	if v[i] == '-' {
		i++
	}
	from := i
	if i = digitsEnd(v, i); i == from || v[from] == '0' && i > from+1 {
		return cutOr(v, i)
	}
	if i < len(v) && v[i] == '.' {
		from = i + 1
		if i = digitsEnd(v, from); i == from {
			return cutOr(v, i)
		}
	}
	if i < len(v) && v[i]|0x20 == 'e' {
		i++
		if i < len(v) && (v[i] == '+' || v[i] == '-') {
			i++
		}
		from = i
		if i = digitsEnd(v, from); i == from {
			return cutOr(v, i)
		}
	}
	return i
}

// cutOr is i where v ends there, and otherwise -1.
func cutOr(v []byte, i int) int {
	if i == len(v) {
		return i
	}
	return -1
}

func digitsEnd(v []byte, i int) int {
	for i < len(v) && '0' <= v[i] && v[i] <= '9' {
		i++
	}
	return i
}
