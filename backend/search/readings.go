package search

import (
	"unicode"
	"unicode/utf8"
)

// finish hands out a word with its extra readings, and returns where it ends.
func (s *scanner) finish(term []byte, start, end int, mixed bool) int {
	if end < len(s.text) {
		switch s.text[end] {
		case '+', '#':
			if sign := s.sign(start, end); sign > 0 {
				return s.signed(term, start, end, end+sign)
			}
		case '-':
			defer s.hyphen(term, start, end)
		}
	}
	s.main(term, start, end)
	if mixed {
		s.camel(start, end)
	}
	return end
}

// main hands out a word, and the word that it makes with the one before a
// hyphen.
func (s *scanner) main(term []byte, start, end int) {
	s.tok = token{term: term, start: start, end: end}
	s.out.token(&s.tok)
	if s.joinAt == start {
		s.join = append(s.join, term...)
		s.extra(cut(s.join), s.joinStart, end)
		s.joinAt = -1
	}
}

func (s *scanner) extra(term []byte, start, end int) {
	s.tok = token{term: term, start: start, end: end, extra: true}
	s.out.token(&s.tok)
}

// sign is how long a ++ or # is that makes a name of the word before: c++,
// notepad++, c#.
func (s *scanner) sign(start, end int) int {
	n := 1
	if s.text[end] == '+' {
		n = 2
		if end+1 >= len(s.text) || s.text[end+1] != '+' {
			return 0
		}
	} else if end-start > 1 {
		return 0
	}
	if !isLetter(s.text[end-1]) || goesOn(s.text[end+n:], s.text[end]) {
		return 0
	}
	return n
}

// goesOn reports that what follows a sign belongs to it: more of it, or a word
// with spaces around it.
func goesOn(rest string, sign byte) bool {
	if rest == "" {
		return false
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return r == rune(sign) || !spaceless(r) && unicode.In(r, unicode.L, unicode.M, unicode.N)
}

func (s *scanner) signed(term []byte, start, end, after int) int {
	s.part = append(append(s.part[:0], term...), s.text[end:after]...)
	s.main(cut(s.part), start, after)
	s.extra(term, start, end)
	return after
}

// hyphen remembers a word of one or two letters before a hyphen: e-mail is
// looked for as email too.
func (s *scanner) hyphen(term []byte, start, end int) {
	if utf8.RuneCount(term) > 2 || start > 0 && s.text[start-1] == '-' || end+1 >= len(s.text) {
		return
	}
	for _, r := range string(term) {
		if !unicode.IsLetter(r) {
			return
		}
	}
	if next := s.text[end+1]; isLetter(next) || next >= utf8.RuneSelf {
		s.join = append(s.join[:0], term...)
		s.joinAt, s.joinStart = end+1, start
	}
}

// maxCamel is how long a word may be, in bytes, to be taken apart: longer ones
// are keys and encoded data.
const maxCamel = 40

// camel hands out the parts of camelCase and HTTPServer that are longer than a
// letter.
func (s *scanner) camel(start, end int) {
	if end-start > maxCamel || !s.capitals(start, end) {
		return
	}
	from := start
	for i := start; i < end; {
		_, size := utf8.DecodeRuneInString(s.text[i:end])
		if i > start && s.hump(start, i, end) {
			s.humped(from, i)
			from = i
		}
		i += size
	}
	if from > start {
		s.humped(from, end)
	}
}

// capitals reports a capital after the first rune.
func (s *scanner) capitals(start, end int) bool {
	for i, r := range s.text[start:end] {
		if i > 0 && s.capital(r) {
			return true
		}
	}
	return false
}

func (s *scanner) humped(from, to int) {
	if utf8.RuneCountInString(s.text[from:to]) < 2 {
		return
	}
	s.part = unquote(s.fold(s.part[:0], s.text[from:to]))
	if utf8.RuneCount(s.part) > 1 {
		s.extra(s.part, from, to)
	}
}

// hump reports that a part begins at i: a capital after a small letter or digit,
// or the last capital of several before a small letter, unless that is a
// plural's s.
func (s *scanner) hump(start, i, end int) bool {
	r, size := utf8.DecodeRuneInString(s.text[i:end])
	if !unicode.IsUpper(r) {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(s.text[start:i])
	if unicode.IsLower(before) || unicode.IsDigit(before) {
		return true
	}
	after, width := utf8.DecodeRuneInString(s.text[i+size : end])
	plural := after == 's' && i+size+width == end
	return unicode.IsUpper(before) && unicode.IsLower(after) && !plural
}

// maxUnit bounds one character with its marks, in bytes.
const maxUnit = MaxTerm / 2

// run hands out characters of scripts without spaces from i on, in pairs, then
// the last one by itself: so any single one begins some term.
func (s *scanner) run(i int) int {
	if s.plain != nil {
		i = s.ideographs(i)
	}
	start, prevEnd := i, -1
	s.unit = s.unit[:0] // the character before, then the one at hand
	for i < len(s.text) && !s.stop {
		if r, _ := utf8.DecodeRuneInString(s.text[i:]); !spaceless(r) {
			break
		}
		end, prev := unitEnd(s.text, i), len(s.unit)
		s.unit = s.fold(s.unit, s.text[i:end])
		s.unit = append(s.unit[:prev], shorten(s.unit[prev:])...)
		if len(s.unit) > prev && prev > 0 {
			s.pair(s.unit, prev, start, prevEnd, end)
			s.unit = append(s.unit[:0], s.unit[prev:]...)
			start = i
		}
		prevEnd, i = end, end
	}
	if len(s.unit) > 0 && !s.stop {
		s.pair(s.unit, len(s.unit), start, prevEnd, prevEnd)
	}
	return i
}

func shorten(unit []byte) []byte {
	for len(unit) > maxUnit {
		_, size := utf8.DecodeLastRune(unit)
		unit = unit[:len(unit)-size]
	}
	return unit
}

func (s *scanner) pair(term []byte, lead, start, leadEnd, end int) {
	s.joinAt = -1
	s.tok = token{term: term, start: start, end: end, lead: lead, leadEnd: leadEnd}
	s.out.token(&s.tok)
}
