package search

import (
	"math/bits"
	"unicode/utf8"
)

// shortSink is a sink that wants to know which words there are but not where
// they stand; it gets short words as their keys.
type shortSink interface {
	sink
	short(k key, size int)
}

// plains hands out words from i on for as long as they are plain: letters and
// digits without a capital inside, with nothing around them that could change
// them or make another reading. Most words are. It returns where it stopped, at
// a word that is not, or near the end of the text. It finds what the rest of the
// scanner finds; ASCII, eight bytes at a time.
func (s *scanner) plains(i int) int {
	text := s.text
	for i+shortTerm < len(text) {
		class := lower[text[i]]
		if class == gap {
			i++
			continue
		}
		if i == s.joinAt {
			return i
		}
		if class == wide {
			end := s.letters(i)
			if end == i {
				return i
			}
			i = end
			continue
		}
		var k key
		var humps uint64
		size := 0
		k.lo, humps, size = plainHalf(load8(text[i:]))
		humps >>= 8 // a capital at the beginning is none
		if size == 8 {
			more := uint64(0)
			k.hi, more, size = plainHalf(load8(text[i+8:]))
			humps |= more
			size += 8
		}
		end := i + size
		if possessive(text, end) {
			end += len("'s")
		}
		if humps == 0 && plainEnd(text[end-1], text[end], size) {
			s.plain.short(k, size)
		} else if end = s.letters(i); end == i {
			return i
		}
		i = end
	}
	return i
}

// load8 reads eight bytes as a little-endian number.
func load8(b string) uint64 {
	_ = b[7]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// plainHalf looks at eight bytes: how many of them, from the first on, are ASCII
// letters and digits, those made small with zeros after them, and a bit in each
// byte that is a capital among them.
func plainHalf(b uint64) (small, capitals uint64, size int) {
	const each, high = 0x0101010101010101, 0x8080808080808080
	// Sums of seven bits do not reach into the next byte; their high bit says
	// whether the byte is at least, or beyond, a limit.
	low := b &^ high
	small = low | 0x20*each // changes no digit
	letters := (small + (0x80-'a')*each) &^ (small + (0x7F-'z')*each)
	digits := (low + (0x80-'0')*each) &^ (low + (0x7F-'9')*each)
	others := ^(letters|digits)&high | b&high
	size = bits.TrailingZeros64(others) / 8
	mask := uint64(1)<<(8*uint(size)) - 1 // all of it for eight
	return small & mask, letters &^ (b << 2) & high & mask, size
}

// possessive reports a letter before and an 's at i, and something behind it that
// is not the end of the text: John's is john.
func possessive(text string, i int) bool {
	return text[i] == '\'' && i+len("'s") < len(text) && text[i+1] == 's' && isLetter(text[i-1])
}

// plainEnd reports that a word of this size, with this last byte, is as it seems
// before the byte after it.
func plainEnd(last, after byte, size int) bool {
	switch after {
	case ' ', '\n':
		return true
	case '\'', '+', '#': // don't, c++, c#
		return false
	case '.', ',': // 3.14, 1,000
		return !isDigit(last)
	case '-': // e-mail
		return size > 2
	}
	return lower[after] == gap // a letter goes on beyond shortTerm
}

// letters hands out the word at start if it is plain and made of ASCII and of
// letters that fold by themselves, or skips a sign that is between words. It
// returns where it stopped, start when there is neither.
func (s *scanner) letters(start int) int {
	text, i := s.text, start
	s.buf = s.buf[:0]
	for i < len(text) && lower[text[i]] != gap {
		b := text[i]
		if small := lower[b]; small != wide {
			if small != b && i > start {
				return start
			}
			s.buf = append(s.buf, small)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if plainBreak(r) {
			if i == start {
				return i + size
			}
			break
		}
		e := s.letter(r)
		if e == nil || e[0]&stateCapital != 0 && i > start {
			return start
		}
		s.buf = append(s.buf, e.bytes()...)
		i += size
	}
	if i == len(text) || len(s.buf) == 0 || len(s.buf) > MaxTerm {
		return start
	}
	if after := text[i]; after < utf8.RuneSelf && !plainEnd(text[i-1], after, utf8.RuneCount(s.buf)) {
		return start
	}
	if len(s.buf) <= shortTerm {
		s.plain.short(keyOf(s.buf), len(s.buf))
	} else {
		s.tok = token{term: s.buf, start: start, end: i}
		s.out.token(&s.tok)
	}
	return i
}

// ideographs hands out pairs of plain ideographs and kana from i on, and returns
// where it stopped, at one whose pair is still to come: what comes after the
// second may belong to it.
func (s *scanner) ideographs(i int) int {
	text := s.text
	if i+9 > len(text) || !plainIdeograph(text[i:]) || !plainIdeograph(text[i+3:]) {
		return i
	}
	for i+9 <= len(text) && plainIdeograph(text[i+6:]) {
		s.plain.short(key{lo: load8(text[i:]) & (1<<48 - 1)}, 6)
		s.joinAt = -1
		i += 3
	}
	return i
}

// plainIdeograph reports an ideograph or kana of three bytes that stands for
// itself, see folder.rune.
func plainIdeograph(b string) bool {
	if b[0] < 0xE3 || b[0] > 0xE9 || b[1]&0xC0 != 0x80 || b[2]&0xC0 != 0x80 {
		return false
	}
	r := rune(b[0]&0x0F)<<12 | rune(b[1]&0x3F)<<6 | rune(b[2]&0x3F)
	return 0x4E00 <= r && r <= 0x9FFF || 0x3041 <= r && r <= 0x3096 || 0x30A1 <= r && r <= 0x30FA
}
