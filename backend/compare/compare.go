package compare

import "slices"

// Relation is how two statements stand to each other.
type Relation string

const (
	Different   Relation = "different"
	Related     Relation = "related"    // about the same topic
	Contradicts Relation = "contradict" // about the same thing, and perhaps not both true
	Repeats     Relation = "repeat"     // the same fact told twice
)

// Reason is in what two statements differ that may contradict each other.
type Reason string

const (
	Number   Reason = "number"
	Date     Reason = "date"
	Negation Reason = "negation"
	Value    Reason = "value" // of what a person has one of, as a place where they live
)

// Verdict is what Compare says. Only what Contradicts has a reason.
type Verdict struct {
	Relation Relation
	Reason   Reason
}

// Cosines from which on a relation is believed, chosen on the set to tune on.
const (
	closeConflict = 0.30 // in a number, a date or a negation, with a word that both have
	closeQuantity = 0.45 // in a number or a date, without one
	closeValue    = 0.20 // in a value: the rule looks at words more than the others do
	closeSwapped  = 0.85 // repeats that differ at one place: "likes tea", "likes coffee"
	closeAnyway   = 0.65 // repeats, whatever their words
	closeApart    = 0.47 // repeats that share no word: no word explains the cosine
	closeAbroad   = 0.50 // repeats in two languages
	closeWithin   = 0.40 // the words of a short statement stand in a longer one
	closeRelated  = 0.30
)

// Compare says how two short statements about a person stand to each other. The cosine is
// that of their vectors, from which the mean of their collection was subtracted.
func Compare(a, b string, cosine float64) Verdict {
	one, other := read(a), read(b)
	switch reason := one.conflict(other, cosine); {
	case reason != "":
		return Verdict{Contradicts, reason}
	case one.repeats(other, cosine):
		return Verdict{Repeats, ""}
	case cosine >= closeRelated:
		return Verdict{Related, ""}
	}
	return Verdict{Different, ""}
}

// conflict is in what two statements about the same thing differ, "" in nothing that tells.
func (s statement) conflict(other statement, cosine float64) Reason {
	common := shared(s.stems, other.stems) > 0
	about := s.sameKin(other) && (cosine >= closeQuantity || common && cosine >= closeConflict)
	switch {
	case about && disagree(s.dates, other.dates, date.compare):
		return Date
	case about && disagree(s.numbers, other.numbers, s.compareNumbers(other)):
		return Number
	case about && s.negated != other.negated && common:
		return Negation
	case cosine >= closeValue && s.anotherValue(other):
		return Value
	}
	return ""
}

// repeats says whether the cosine of two statements is too high for all but the same fact. A
// word that both have makes two facts about one thing close, so less is asked without it.
func (s statement) repeats(other statement, cosine float64) bool {
	common, fewest, most := shared(s.stems, other.stems), min(len(s.stems), len(other.stems)), max(len(s.stems), len(other.stems))
	switch {
	case len(s.kin) > 0 && len(other.kin) > 0 && !s.sameKin(other):
		return false
	case s.swaps(other):
		return cosine >= closeSwapped
	case s.negated != other.negated:
		return cosine >= closeAnyway
	case s.language != "" && other.language != "" && s.language != other.language:
		return cosine >= closeAbroad
	case common == 0, s.sameQuantity(other):
		return cosine >= closeApart
	case 2*common >= fewest && 2*most >= 5*fewest:
		return cosine >= closeWithin
	}
	return cosine >= closeAnyway
}

// match is whether two numbers or dates say the same.
type match int

const (
	incomparable match = iota // one is of another thing
	equal
	unequal
)

// agree says whether something in a and b is equal.
func agree[T any](a, b []T, compare func(a, b T) match) bool { return has(a, b, compare, equal) }

// disagree says whether something in a and b is unequal, and nothing equal.
func disagree[T any](a, b []T, compare func(a, b T) match) bool {
	return has(a, b, compare, unequal) && !agree(a, b, compare)
}

func has[T any](a, b []T, compare func(a, b T) match, wanted match) bool {
	return slices.ContainsFunc(a, func(x T) bool {
		return slices.ContainsFunc(b, func(y T) bool { return compare(x, y) == wanted })
	})
}
