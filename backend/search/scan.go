package search

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
)

// MaxTerm is how long a word is in the index, in bytes; the rest is cut off.
const MaxTerm = 64

// token is one word of a text.
type token struct {
	term       []byte // folded; good until the next token
	start, end int    // where in the text
	lead       int    // of a script without spaces: bytes of term that are its first character
	leadEnd    int    // and where that ends in the text
	extra      bool   // another reading of its place: has no position of its own
}

// single reports a character of a script without spaces that stands alone, or
// last in its run.
func (t *token) single() bool { return t.lead > 0 && t.lead == len(t.term) }

type sink interface{ token(*token) }

// scanner cuts text into words. What a person expects to find decides:
//
//   - snake_case, example.com, a-b and paths are the words between the signs
//   - camelCase and HTTPServer are one word, and their parts are extra readings
//   - e-mail, x-ray, wi-fi are two words, and one without the hyphen as an extra
//   - c++ and c# are words, c is an extra reading
//   - 3.14, 1.2.3 and 10.0.0.1 are one word; v1.2.3 is the same as 1.2.3, and
//     1,000,000 and 1'000'000 the same as 1000000
//   - John's is john, l'homme is homme, don't is dont
//   - a run of characters without spaces is its pairs, then its last character
//   - emoji are words, whatever their skin tone
type scanner struct {
	*folder
	text  string
	out   sink
	plain shortSink // out, when it is one
	stop  bool      // set by the sink when it has seen enough
	tok   token
	it    *words.Iterator[string]

	word [MaxTerm + 2]byte // the ASCII word at hand
	buf  []byte            // the folded word at hand
	part []byte            // an extra reading
	unit []byte            // the characters of a run

	joinAt, joinStart int // where a word must begin to be joined with the one before
	join              []byte
}

func newScanner() *scanner {
	return &scanner{folder: newFolder(), it: words.FromString("")}
}

// scan hands every word of text to out.
func (s *scanner) scan(text string, out sink) {
	s.text, s.out, s.stop, s.joinAt = text, out, false, -1
	s.plain, _ = out.(shortSink)
	for i := 0; i < len(text) && !s.stop; {
		if s.plain != nil {
			if i = s.plains(i); i == len(text) {
				break
			}
		}
		switch lower[text[i]] {
		case gap:
			i++
		case wide:
			i = s.region(i)
		default:
			i = s.ascii(i)
		}
	}
	s.text, s.plain = "", nil // keeps nobody's text alive
}

// Classes of bytes in lower; what is above them is an ASCII letter or digit.
const (
	gap  = 0
	wide = 1 // part of a longer character
)

// lower gives for each byte its small letter or digit, or its class.
var lower = lowerTable()

func lowerTable() (t [256]byte) {
	for b := range 256 {
		switch {
		case '0' <= b && b <= '9', 'a' <= b && b <= 'z':
			t[b] = byte(b)
		case 'A' <= b && b <= 'Z':
			t[b] = byte(b) + 'a' - 'A'
		case b >= utf8.RuneSelf:
			t[b] = wide
		}
	}
	return t
}

// ascii reads the word that begins with an ASCII letter or digit at start, and
// returns where to go on.
func (s *scanner) ascii(start int) int {
	text, i, n, upper := s.text, start, 0, false
	for ; i < len(text); i++ {
		c := lower[text[i]]
		if c <= wide {
			break
		}
		if n < MaxTerm {
			s.word[n] = c
			n++
		}
		upper = upper || c != text[i] && i > start
	}
	if i < len(text) {
		switch b := text[i]; {
		case b == '\'' || b == '.' || b == ',' || b >= utf8.RuneSelf:
			if end, ok := s.carried(start, i); ok {
				return end
			}
		}
	}
	return s.finish(s.word[:n], start, i, upper)
}

// carried reads a word that goes on at i, where its ASCII beginning ends; false
// when it does not.
func (s *scanner) carried(start, i int) (int, bool) {
	end := s.extend(i)
	if end < len(s.text) && s.text[end] >= utf8.RuneSelf {
		if r, _ := utf8.DecodeRuneInString(s.text[end:]); !plainBreak(r) {
			return s.region(start), true
		}
	}
	if end == i {
		return 0, false
	}
	return s.piece(start, end), true
}

// extend goes on with a word of ASCII from i, over the signs that hold it
// together.
func (s *scanner) extend(i int) int {
	for i < len(s.text) && (lower[s.text[i]] > wide || s.inNumber(i) || s.apostrophe(i)) {
		i++
	}
	return i
}

// inNumber reports a sign inside a number at i: a point between digits, or a
// comma or apostrophe before exactly three.
func (s *scanner) inNumber(i int) bool {
	text := s.text
	if i == 0 || i+1 >= len(text) || !isDigit(text[i-1]) || !isDigit(text[i+1]) {
		return false
	}
	switch text[i] {
	case '.':
		return true
	case ',', '\'':
		return digitsFrom(text, i+1) == 3 && digitsBefore(text, i) <= 3
	}
	return false
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// digitsFrom counts digits at i, up to four.
func digitsFrom(text string, i int) int {
	n := 0
	for n < 4 && i+n < len(text) && isDigit(text[i+n]) {
		n++
	}
	return n
}

func digitsBefore(text string, i int) int {
	n := 0
	for n < 4 && i-n > 0 && isDigit(text[i-n-1]) {
		n++
	}
	return n
}

// apostrophe reports an apostrophe between two ASCII letters at i, or before a
// longer character, which then decides.
func (s *scanner) apostrophe(i int) bool {
	return s.text[i] == '\'' && i > 0 && isLetter(s.text[i-1]) && i+1 < len(s.text) &&
		(isLetter(s.text[i+1]) || s.text[i+1] >= utf8.RuneSelf)
}

func isLetter(b byte) bool { return lower[b] >= 'a' }

// region reads from i to the next space: text that is not ASCII alone.
func (s *scanner) region(i int) int {
	for i < len(s.text) && s.text[i] > ' ' && !s.stop {
		if r, _ := utf8.DecodeRuneInString(s.text[i:]); spaceless(r) {
			i = s.run(i)
			continue
		}
		end := s.stretch(i)
		s.it.SetText(s.text[i:end])
		for s.it.Next() && !s.stop {
			s.pieces(i+s.it.Start(), i+s.it.End())
		}
		i = end
	}
	s.it.SetText("")
	return i
}

// stretch is where text without spaceless scripts ends, at the latest at the
// next space.
func (s *scanner) stretch(i int) int {
	for i < len(s.text) && s.text[i] > ' ' {
		if s.text[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s.text[i:])
		if spaceless(r) {
			break
		}
		i += size
	}
	return i
}

// pieces takes one word of UAX #29 apart at the signs that are inside words for
// Unicode but not for people who search: _ . : and their like.
func (s *scanner) pieces(start, end int) {
	if first, _ := utf8.DecodeRuneInString(s.text[start:]); picture(first) {
		s.picture(start, end)
		return
	}
	from := start
	for i := start; i < end; {
		r, size := utf8.DecodeRuneInString(s.text[i:end])
		if !s.inside(r, i, end) {
			s.piece(from, i)
			from = i + size
		}
		i += size
	}
	s.piece(from, end)
}

// inside reports a rune that belongs to the piece around it.
func (s *scanner) inside(r rune, i, end int) bool {
	switch r {
	case '\'', '’', '＇':
		return i+1 < end && (s.inNumber(i) || !isDigit(s.text[i-min(i, 1)]))
	case '.', ',':
		return s.inNumber(i)
	case '"', '״', '׳', '·', '‧': // inside a Hebrew or a Catalan word
		return true
	}
	return unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.Cf)
}

// picture hands out an emoji, undressed.
func (s *scanner) picture(start, end int) {
	s.buf = s.buf[:0]
	for _, r := range s.text[start:end] {
		if !dress(r) {
			s.buf = utf8.AppendRune(s.buf, r)
		}
	}
	if len(s.buf) > 0 {
		s.main(cut(s.buf), start, end)
	}
}

// piece folds one word and hands it out. It returns where the word ends, signs
// like ++ included.
func (s *scanner) piece(start, end int) int {
	if start >= end {
		return end
	}
	s.buf = cut(unquote(unversion(s.fold(s.buf[:0], s.text[start:end]))))
	if len(s.buf) == 0 {
		return end
	}
	return s.finish(s.buf, start, end, true)
}

// unversion takes the v from a version number, which is written with and
// without.
func unversion(term []byte) []byte {
	if len(term) >= 4 && term[0] == 'v' && isDigit(term[1]) && bytes.IndexByte(term, '.') > 0 {
		return term[1:]
	}
	return term
}

// elided are the articles and pronouns that lose their vowel before an
// apostrophe, in French, Italian, Catalan and Portuguese.
var elided = map[string]bool{
	"l": true, "d": true, "j": true, "n": true, "s": true, "t": true, "c": true, "m": true, "qu": true,
	"un": true, "dell": true, "all": true, "dall": true, "nell": true, "sull": true, "quell": true,
}

// unquote takes apostrophes out of a word: John's is john, l'homme is homme, and
// what is left is written together.
func unquote(term []byte) []byte {
	at := bytes.IndexByte(term, '\'')
	switch {
	case at < 0:
		return term
	case string(term[at+1:]) == "s":
		return term[:at]
	case len(term)-at > 2 && elided[string(term[:at])]:
		term = term[at+1:]
	}
	return slices.DeleteFunc(term, func(b byte) bool { return b == '\'' })
}

// cut shortens a term to MaxTerm, at a rune's border.
func cut(term []byte) []byte {
	if len(term) <= MaxTerm {
		return term
	}
	n := MaxTerm
	for n > 0 && !utf8.RuneStart(term[n]) {
		n--
	}
	return term[:n]
}
