package search

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// A word that fewer than rare documents hold may be a slip: terms that differ by
// one letter (added, left out, another, or two that changed places) count for it
// too, with slipBoost of their weight. They begin with the same letter, so that a
// search reads a small part of the dictionary; only of a word that nothing holds,
// and where none does, all of it is looked through. There are at most maxSlips of
// them, the commonest.
const (
	rare      = 3
	maxSlips  = 16
	slipBoost = 0.5
)

// widen looks for what may stand in for rare words.
func (s *search) widen(rd *reader, n *node, positive bool) error {
	for _, kid := range n.kids {
		if err := s.widen(rd, kid, positive != (n.op == opNot)); err != nil {
			return err
		}
	}
	if n.op != opWord || n.typo == "" || !positive || s.opt.Exactly {
		return nil
	}
	l := s.leaves[n]
	held, err := s.held(rd, l.all[0])
	if err != nil || held >= rare {
		return err
	}
	if l.either = s.slipWords[n.typo]; l.either != nil {
		return nil
	}
	terms, err := s.slips(rd, n.typo, held == 0)
	if err != nil || len(terms) == 0 {
		return err
	}
	l.either = &word{terms: terms, scored: true, boost: slipBoost}
	s.words = append(s.words, l.either)
	s.slipWords[n.typo] = l.either
	s.widened = append(s.widened, Widened{Word: n.typo, Also: terms})
	return s.lookup(rd, l.either)
}

// held counts the documents that hold a word. Those in tombs are told apart only
// where it hangs on them whether the word is rare.
func (s *search) held(rd *reader, w *word) (uint64, error) {
	dead := uint64(0)
	for _, v := range s.views {
		dead += uint64(v.dead.count())
	}
	if dead == 0 || w.df >= rare+dead {
		return w.df, nil
	}
	held := uint64(0)
	var list postings
	for i, v := range s.views {
		alive := v.t.alive(v.dead)
		for _, e := range w.entries[i] {
			if err := v.seg.terms.read(rd, e, v.t.docs(), &list); err != nil {
				return 0, err
			}
			for _, doc := range list.docs {
				if alive.has(doc) {
					held++
				}
			}
		}
	}
	return held, s.ctx.Err()
}

// slips are the terms at one slip from term, the commonest first; anywhere: also
// those that begin with another letter, where there are no others.
func (s *search) slips(rd *reader, term string, anywhere bool) ([]string, error) {
	_, size := utf8.DecodeRuneInString(term)
	df, err := s.slipsUnder(rd, term[:size], term)
	if err == nil && len(df) == 0 && anywhere {
		df, err = s.slipsUnder(rd, "", term)
	}
	if err != nil {
		return nil, err
	}
	terms := slices.SortedFunc(maps.Keys(df), func(x, y string) int {
		return cmp.Or(cmp.Compare(df[y], df[x]), strings.Compare(x, y))
	})
	return terms[:min(len(terms), maxSlips)], nil
}

// slipsUnder are those that begin so, and how many documents hold each.
func (s *search) slipsUnder(rd *reader, begin, term string) (map[string]uint64, error) {
	df, runes := map[string]uint64{}, []rune(term)
	for _, v := range s.views {
		err := v.seg.terms.prefix(rd, begin, func(t []byte, e entry) {
			if slipped(t, term, runes) {
				df[string(t)] += uint64(e.df)
			}
		})
		if err != nil {
			return nil, err
		}
		if err := s.ctx.Err(); err != nil {
			return nil, err
		}
	}
	return df, nil
}

// slipped reports one slip between t and term, of which runes are the runes. Most
// terms differ in more than two letters of ASCII, which is soon seen.
func slipped(t []byte, term string, runes []rune) bool {
	if d := len(t) - len(term); d > utf8.UTFMax || -d > utf8.UTFMax {
		return false
	}
	begin, shorter := 0, min(len(t), len(term))
	for begin < shorter && t[begin] == term[begin] {
		begin++
	}
	end := 0
	for end < shorter-begin && t[len(t)-1-end] == term[len(term)-1-end] {
		end++
	}
	x, y := t[begin:len(t)-end], term[begin:len(term)-end]
	if max(len(x), len(y)) > 2*utf8.UTFMax || len(x) > 2 && isASCII(x) || len(y) > 2 && isASCII([]byte(y)) {
		return false
	}
	return string(t) != term && oneSlip([]rune(string(t)), runes)
}

func isASCII(s []byte) bool {
	for _, b := range s {
		if b >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// oneSlip reports that a and b differ by one letter, or by two that changed
// places.
func oneSlip(a, b []rune) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	switch len(b) - len(a) {
	case 1:
		return slices.Equal(a[i:], b[i+1:])
	case 0:
		return i < len(a) && (slices.Equal(a[i+1:], b[i+1:]) ||
			i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && slices.Equal(a[i+2:], b[i+2:]))
	}
	return false
}
