package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// folder brings words to the form in which they are compared: compatibility
// forms, case, accents and points are all one. It remembers what it has worked
// out, so it belongs to one goroutine.
type folder struct {
	caser cases.Caser
	low   []folded          // by rune, below lowRunes
	high  map[rune]string   // the others
	long  map[rune]string   // low ones that do not fit
	whole map[rune]struct{} // high ones that wholeWord must see
}

// folded is how one rune folds: a state, then up to seven bytes.
type folded [8]byte

// States of folded. A small number is a length plus stateLength, perhaps with
// flags.
const (
	stateUnknown = 0
	stateLength  = 1
	stateSize    = 0x0F // the length in a state
	stateLetter  = 0x20 // a flag: a letter that is always part of the word before and after it
	stateCapital = 0x40 // a flag
	stateWhole   = 0xFE // may join the rune before it: fold the whole word
	stateLong    = 0xFF // look into folder.long
	lowRunes     = 0x3000
	plainRunes   = 0x0530 // Latin, Greek and Cyrillic end here
)

func newFolder() *folder {
	return &folder{
		caser: cases.Fold(), low: make([]folded, lowRunes),
		high: map[rune]string{}, long: map[rune]string{}, whole: map[rune]struct{}{},
	}
}

// fold appends the folded word to dst. Signs that hold a word or a number
// together stay for the scanner to judge; an apostrophe is always '.
func (f *folder) fold(dst []byte, word string) []byte {
	before := len(dst)
	for _, r := range word {
		var ok bool
		if dst, ok = f.rune(dst, r); !ok {
			return f.wholeWord(dst[:before], word)
		}
	}
	return dst
}

// rune appends one rune folded; false when the word must be folded as a whole.
func (f *folder) rune(dst []byte, r rune) ([]byte, bool) {
	switch {
	case r < utf8.RuneSelf:
		return appendASCII(dst, byte(r)), true
	case r < lowRunes:
		return f.lowRune(dst, r)
	case 0x4E00 <= r && r <= 0x9FFF, 0x3041 <= r && r <= 0x3096, 0x30A1 <= r && r <= 0x30FA, 0xAC00 <= r && r <= 0xD7A3:
		return utf8.AppendRune(dst, r), true // ideographs, kana and Hangul stand for themselves
	}
	s, known := f.high[r]
	if !known {
		s = f.work(r)
		if joinsBackward(s) {
			f.whole[r] = struct{}{}
		}
		f.high[r] = s
	}
	if _, whole := f.whole[r]; whole {
		return dst, false
	}
	return append(dst, s...), true
}

func (f *folder) lowRune(dst []byte, r rune) ([]byte, bool) {
	e := &f.low[r]
	if e[0] == stateUnknown {
		f.learn(e, r)
	}
	switch e[0] {
	case stateWhole:
		return dst, false
	case stateLong:
		return append(dst, f.long[r]...), true
	}
	return append(dst, e.bytes()...), true
}

// bytes are what the rune folds to, when its state is a length.
func (e *folded) bytes() []byte { return e[1 : 1+e[0]&stateSize-stateLength] }

// letter returns how a rune folds; nil when it is not below plainRunes, or no
// letter that folds by itself whatever stands around it.
func (f *folder) letter(r rune) *folded {
	if r >= plainRunes {
		return nil
	}
	e := &f.low[r]
	if e[0] == stateUnknown {
		f.learn(e, r)
	}
	if e[0] >= stateWhole || e[0]&stateLetter == 0 {
		return nil
	}
	return e
}

func (f *folder) learn(e *folded, r rune) {
	s := f.work(r)
	switch {
	case joinsBackward(s):
		e[0] = stateWhole
	case len(s) > len(e)-1:
		e[0] = stateLong
		f.long[r] = s
	default:
		e[0] = stateLength + byte(len(s))
		if unicode.IsUpper(r) {
			e[0] |= stateCapital
		}
		if unicode.IsLetter(r) && !strings.Contains(s, "'") {
			e[0] |= stateLetter
		}
		copy(e[1:], s)
	}
}

// capital is unicode.IsUpper for runes that were folded before.
func (f *folder) capital(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return 'A' <= r && r <= 'Z'
	case r < lowRunes:
		return f.low[r][0] < stateWhole && f.low[r][0]&stateCapital != 0
	}
	return unicode.IsUpper(r)
}

// work folds one rune the slow way.
func (f *folder) work(r rune) string {
	return string(norm.NFC.Append(nil, f.parts(string(r))...))
}

// wholeWord folds a word in which runes join or change places.
func (f *folder) wholeWord(dst []byte, word string) []byte {
	return norm.NFC.Append(dst, f.parts(word)...)
}

// parts is the folded word, decomposed. Accents go before case folding, which
// would make a letter of the Greek iota subscript, and after it.
func (f *folder) parts(word string) []byte {
	bare := strip(norm.NFKD.String(word))
	return strip(norm.NFKD.String(f.caser.String(string(bare))))
}

// strip leaves out what no search should depend on.
func strip(s string) []byte {
	out := make([]byte, 0, len(s))
	for i, r := range s {
		if r == utf8.RuneError || unaccented(r) || unicode.Is(unicode.Cf, r) || unicode.IsSpace(r) {
			continue
		}
		r = cherokee(r)
		if plain, ok := alike[r]; ok {
			out = append(out, plain...)
		} else if unicode.Is(unicode.Nd, r) {
			out = append(out, '0'+digit(r))
		} else if r < utf8.RuneSelf {
			out = appendASCII(out, s[i])
		} else if unicode.In(r, unicode.L, unicode.M, unicode.N) {
			out = utf8.AppendRune(out, r)
		}
	}
	return out
}

// cherokee makes capitals of Cherokee's small letters, which is how they fold;
// cases.Fold turns each into the other.
func cherokee(r rune) rune {
	switch {
	case 0xAB70 <= r && r <= 0xABBF:
		return r - 0xAB70 + 0x13A0
	case 0x13F8 <= r && r <= 0x13FD:
		return r - 8
	}
	return r
}

// unaccented reports a mark that is left out: overlays (class 1), Hebrew,
// Arabic and Syriac points (10 to 36) and everything above or below a letter
// (from 200), and variation selectors. Nuktas, viramas, kana voicing and the
// vowels and tones of Thai and Lao stay: they make another word.
func unaccented(r rune) bool {
	if r < 0x0300 || !unicode.IsMark(r) {
		return false
	}
	c := norm.NFD.PropertiesString(string(r)).CCC()
	return c == 1 || 10 <= c && c <= 36 || c >= 200 || dress(r) || unicode.Is(unicode.Me, r)
}

// joinsBackward reports that what a rune folds to may melt into what stands
// before it, or change places with it. Marks that fold to nothing do neither; a
// sound mark that stands alone (U+309B) loses its space and does.
func joinsBackward(s string) bool {
	return s != "" && !norm.NFC.PropertiesString(s).BoundaryBefore()
}

// alike are letters that decompose to nothing but are typed as others: strokes
// through letters, ligatures, the dotless i, and the forms of yeh, kaf and heh
// that differ between keyboards.
var alike = map[rune]string{
	'ø': "o", 'ł': "l", 'đ': "d", 'ħ': "h", 'ŧ': "t", 'ı': "i", 'æ': "ae", 'œ': "oe",
	'Ø': "o", 'Ł': "l", 'Đ': "d", 'Ħ': "h", 'Ŧ': "t", 'Æ': "ae", 'Œ': "oe",
	'ى': "ي", 'ی': "ي", 'ے': "ي", 'ک': "ك", 'ة': "ه", 'ہ': "ه", 'ھ': "ه", 'ٱ': "ا", 'ـ': "",
	'⁄': "⁄", // of ½, which is not 12
	'’': "'", 'ʼ': "'", '＇': "'",
}

// digit is the value of a decimal digit: they come in runs of ten.
func digit(r rune) byte {
	for _, t := range unicode.Nd.R16 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return byte((r - rune(t.Lo)) % 10)
		}
	}
	for _, t := range unicode.Nd.R32 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return byte((r - rune(t.Lo)) % 10)
		}
	}
	return 0
}

// appendASCII keeps small letters, digits and the signs that hold words and
// numbers together.
func appendASCII(dst []byte, b byte) []byte {
	if c := lower[b]; c > wide {
		return append(dst, c)
	}
	if b == '\'' || b == '.' {
		return append(dst, b)
	}
	return dst
}
