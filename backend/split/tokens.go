package split

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word with what stands between it and the word before.
type token struct {
	start, end int    // in bytes of the text
	word       string // in small letters
	before     string // what stands before it
	inside     bool   // in brackets or quotation marks
}

// closers are the brackets and quotation marks with what ends them.
var closers = map[rune]rune{'(': ')', '[': ']', '{': '}', '"': '"', '“': '”', '«': '»', '„': '“', '`': '`'}

// tokensOf cuts a part of the text into words. An elided word ("l'", "j'") is one of its own
// where the words of the language know it.
func (s *splitter) tokensOf(at span) []token {
	var all []token
	var open []rune // what ends the brackets and quotation marks that are open
	gap := at.start // where what stands before the next word begins
	for i := at.start; i < at.end; {
		r, size := utf8.DecodeRuneInString(s.text[i:at.end])
		if isWordRune(r) {
			end := i + s.wordLength(s.text[i:at.end])
			all = append(all, token{i, end, lower(s.text[i:end]), s.text[gap:i], len(open) > 0})
			i, gap = end, end
			continue
		}
		if n := len(open); n > 0 && open[n-1] == r {
			open = open[:n-1]
		} else if ends := closers[r]; ends != 0 && len(open) < deepest {
			open = append(open, ends)
		}
		i += size
	}
	return all
}

// deepest is how many brackets are followed into each other.
const deepest = 16

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// wordLength is the length of the word that a text begins with: letters, and hyphens and
// apostrophes between them.
func (s *splitter) wordLength(text string) int {
	for i, r := range text {
		if isWordRune(r) {
			continue
		}
		next := i + utf8.RuneLen(r)
		isApostrophe := r == '\'' || r == '’'
		if isApostrophe && s.elides {
			return next
		}
		after, _ := utf8.DecodeRuneInString(text[min(next, len(text)):])
		if !isApostrophe && r != '-' || r == utf8.RuneError || next >= len(text) || !isWordRune(after) {
			return i
		}
	}
	return len(text)
}

func lower(word string) string { return strings.ReplaceAll(strings.ToLower(word), "’", "'") }

func (s *splitter) isCapital(t token) bool {
	r, _ := utf8.DecodeRuneInString(s.text[t.start:])
	return unicode.IsUpper(r)
}
