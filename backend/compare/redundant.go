package compare

import "slices"

// LeastRedundant is the cosine below which Redundant is false. It is stricter than the limit
// of a repeat, because a redundant statement is dropped without being shown to anybody.
const LeastRedundant = 0.82

// Redundant says whether a statement can be left out where another is known: it repeats that
// one, and has no number, date or word that the other has not. The same words in another
// order may say the opposite ("prefers tea to coffee"), so they are not redundant.
func Redundant(text, known string, cosine float64) bool {
	if cosine < LeastRedundant || Compare(text, known, cosine).Relation != Repeats {
		return false
	}
	s, other := read(text), read(known)
	return s.sameValues(other) && s.addsNothing(other)
}

// SameValues says whether two statements have the same numbers and dates, and both deny
// something or neither does. Two that repeat each other by their cosine may not: vectors tell
// little of these.
func SameValues(a, b string) bool { return read(a).sameValues(read(b)) }

func (s statement) sameValues(other statement) bool {
	values := func(of []number) (all []float64) {
		for _, n := range of {
			all = append(all, n.value)
		}
		slices.Sort(all)
		return all
	}
	return s.negated == other.negated && slices.Equal(values(s.numbers), values(other.numbers)) && slices.Equal(s.dates, other.dates)
}

// addsNothing says whether all words of a statement stand in another in the same order. In
// another language, or where no word is shared, at most one may be more.
func (s statement) addsNothing(other statement) bool {
	abroad := s.language != "" && other.language != "" && s.language != other.language
	if abroad || shared(s.stems, other.stems) == 0 {
		return len(s.stems) <= len(other.stems)+1
	}
	rest := other.stems
	for _, stem := range s.stems {
		at := slices.Index(rest, stem)
		if at < 0 {
			return false
		}
		rest = rest[at+1:]
	}
	return true
}
