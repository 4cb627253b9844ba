package redact

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

func digit(c byte) bool { return '0' <= c && c <= '9' }

func letter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

func notLetter(r rune) bool { return !unicode.IsLetter(r) }

// wordly reports a rune that continues a word or a number. Scripts that write
// without spaces end one wherever a Latin letter or a digit begins.
func wordly(r rune) bool {
	return r == '_' || unicode.IsDigit(r) || unicode.IsLetter(r) && !unseparated(r)
}

// unseparated reports a letter of such a script.
func unseparated(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai)
}

// freeBefore reports that nothing continues to the left of start.
func (f *finder) freeBefore(start int) bool {
	r, _ := utf8.DecodeLastRuneInString(f.text[:start])
	return start == 0 || !wordly(r) || f.escaped(start)
}

// escaped reports a line break or a tab as texts inside of JSON and logs write it:
// what follows begins a line.
func (f *finder) escaped(start int) bool {
	return start >= 2 && f.text[start-2] == '\\' && strings.IndexByte("nrt", f.text[start-1]) >= 0
}

// freeAfter reports that nothing continues to the right of end.
func (f *finder) freeAfter(end int) bool {
	r, _ := utf8.DecodeRuneInString(f.text[end:])
	return end == len(f.text) || !wordly(r)
}

// window is what stands from a place on, at most n bytes.
func (f *finder) window(from, n int) string {
	window := f.text[from:min(len(f.text), from+n)]
	f.looked += len(window)
	return window
}

// line is a window up to the end of its line.
func (f *finder) line(from, n int) string {
	line, _, _ := strings.Cut(f.text[from:min(len(f.text), from+n)], "\n")
	f.looked += len(line)
	return line
}

// longestWord bounds how far a word is followed, in bytes.
const longestWord = 40

// wordsBefore lists up to n words left of start, the nearest first, in lower
// case. It stops at the end of a line and of a sentence; the dot of an
// abbreviation, a word of four letters at most, ends none.
func (f *finder) wordsBefore(start, n int) []string {
	var words []string
	at := start
	for len(words) < n {
		end, stop := f.backOver(at)
		if stop || end == 0 {
			break
		}
		from := end
		for from > 0 && end-from < longestWord {
			r, size := utf8.DecodeLastRuneInString(f.text[:from])
			if !unicode.IsLetter(r) {
				break
			}
			from -= size
		}
		f.looked += at - from
		if from == end {
			from-- // a digit or a sign stands there: it is a word without letters
		}
		if word := strings.ToLower(f.text[from:end]); !f.endsSentence(end) || len(word) <= 5 {
			words = append(words, word)
		} else {
			break
		}
		at = from
	}
	return words
}

// backOver goes left from at over what stands between words, 16 bytes at most.
func (f *finder) backOver(at int) (end int, stop bool) {
	for end = at; end > 0 && at-end < 16; {
		r, size := utf8.DecodeLastRuneInString(f.text[:end])
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return end, false
		}
		if r == '\n' || r == ';' || r == '!' {
			return end, true
		}
		end -= size
	}
	return end, at-end >= 16
}

func (f *finder) endsSentence(end int) bool { return strings.HasPrefix(f.text[end:], ". ") }

// wordsAfter lists up to n words right of end, in lower case, up to the end of
// the line.
func (f *finder) wordsAfter(end, n int) []string {
	words := strings.FieldsFunc(strings.ToLower(f.line(end, n*16)), notLetter)
	return words[:min(n, len(words))]
}

// places gives where each occurrence of a word begins and ends.
func places(text, word string) iter.Seq2[int, int] {
	return func(yield func(start, end int) bool) {
		for from := 0; ; {
			i := strings.Index(text[from:], word)
			if i < 0 {
				return
			}
			start := from + i
			from = start + len(word)
			if !yield(start, from) {
				return
			}
		}
	}
}
