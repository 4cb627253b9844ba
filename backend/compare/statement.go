package compare

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// longest is how many bytes of a statement are read: several times what a memory has, so that
// a text of any size is compared in the same time.
const longest = 2048

// statement is what Compare knows of a text.
type statement struct {
	words    []string // without dates
	language string
	stems    []string // of the words that carry meaning
	names    []string // stems of the words with a capital that begin no statement
	numbers  []number
	dates    []date
	negated  bool
	topics   []string // see topic
	kin      []string // see relative
}

func read(text string) statement {
	all := split(norm.NFC.String(strings.ToValidUTF8(text[:min(len(text), longest)], " ")))
	s := statement{language: languageOf(all)}
	s.dates, s.words = takeDates(all)
	s.numbers = numbersIn(s.words, s.language)
	for i, word := range s.words {
		lower := strings.ToLower(word)
		s.negated = s.negated || negates(lower, s.language)
		s.topics = with(s.topics, topic(lower))
		s.kin = with(s.kin, relative(lower, s.language))
		stem := stemOf(lower)
		s.stems = with(s.stems, stem)
		if i > 0 && word != lower {
			s.names = with(s.names, stem)
		}
	}
	return s
}

// with adds a word to a list that does not have it.
func with(list []string, word string) []string {
	if word == "" || slices.Contains(list, word) {
		return list
	}
	return append(list, word)
}

// split are the words, numbers and signs of money of a text. A number keeps the points,
// commas and spaces inside it.
func split(text string) (words []string) {
	runes := []rune(strings.ReplaceAll(text, "’", "'"))
	for i := 0; i < len(runes); {
		start := i
		switch r := runes[i]; {
		case unicode.IsDigit(r):
			for i < len(runes) && (unicode.IsDigit(runes[i]) || insideNumber(runes, i)) {
				i++
			}
			for i < len(runes) && unicode.IsUpper(runes[i]) { // a name: "2CV"
				i++
			}
		case unicode.IsLetter(r):
			for i < len(runes) && (unicode.IsLetter(runes[i]) || unicode.IsMark(runes[i]) || unicode.IsDigit(runes[i]) || runes[i] == '\'') {
				i++
			}
		case strings.ContainsRune("%€$£", r):
			i++
		default:
			i++
			continue
		}
		words = append(words, parts(string(runes[start:i]))...)
	}
	return words
}

// insideNumber says whether the rune between two digits belongs to their number: a point or
// a comma, or a space before exactly three digits.
func insideNumber(runes []rune, i int) bool {
	digits := func(n int) bool {
		return i+n < len(runes) && !slices.ContainsFunc(runes[i+1:i+n+1], func(r rune) bool { return !unicode.IsDigit(r) })
	}
	switch runes[i] {
	case '.', ',':
		return digits(1)
	case ' ', '\u00a0', '\u202f':
		return digits(3) && !digits(4)
	}
	return false
}

// parts are a word without what French and others put before it with an apostrophe: "n'a" is
// "n'" and "a".
func parts(word string) []string {
	before, after, found := strings.Cut(word, "'")
	if found && len(before) <= 2 && len(after) > 0 && after != "t" && after != "m" && after != "s" && before != "I" {
		return []string{before + "'", after}
	}
	return []string{word}
}

// stemOf is the beginning of a word by which its forms are the same, also in the next
// language: "emojis" and "émojis", "Japan" and "japonés". It is "" of words too short and of
// those that say nothing about a topic.
func stemOf(word string) string {
	var letters []rune
	for _, r := range norm.NFD.String(strings.TrimSuffix(word, "'s")) {
		if !unicode.IsMark(r) && r != '\'' {
			letters = append(letters, r)
		}
	}
	stem := string(letters[:min(len(letters), 4)])
	if len(letters) < 3 || !strings.ContainsFunc(stem, unicode.IsLetter) || empty(stem) {
		return ""
	}
	return stem
}

// shared is how many words two lists share.
func shared(a, b []string) (n int) {
	for _, word := range a {
		if slices.Contains(b, word) {
			n++
		}
	}
	return n
}

// sameKin says whether two statements can be about the same person: about a relative of the
// same name, or both about none.
func (s statement) sameKin(other statement) bool {
	return len(s.kin)+len(other.kin) == 0 || shared(s.kin, other.kin) > 0
}

// anotherValue says whether two statements have different values of what one has once.
func (s statement) anotherValue(other statement) bool {
	for _, t := range s.topics {
		group, value, given := strings.Cut(t, " ")
		for _, o := range other.topics {
			switch g, v, _ := strings.Cut(o, " "); {
			case g != group:
			case given && v != value:
				return slices.Contains(s.kin, "spouse") || slices.Contains(other.kin, "spouse") || s.sameKin(other)
			case !given && s.sameKin(other) && (group != "work" && namesApart(s.names, other.names) || s.sameUpTo(other, group)):
				return true
			}
		}
	}
	return false
}

// namesApart says whether the first name of each list is not in the other: "Rosario,
// Argentina" and "Córdoba, Argentina". Three letters of it are enough, for "Lisbon" and "Lisboa".
func namesApart(a, b []string) bool {
	without := func(name string, list []string) bool {
		return !slices.ContainsFunc(list, func(other string) bool { return strings.HasPrefix(other, name[:min(len(name), 3)]) })
	}
	return len(a) > 0 && len(b) > 0 && without(a[0], b) && without(b[0], a)
}

// difference is what two statements have between the words with which both begin and those
// with which both end, and how many of these there are.
func (s statement) difference(other statement) (begin int, mine, its []string, end int) {
	mine, its = s.predicate(), other.predicate()
	for len(mine) > 0 && len(its) > 0 && mine[0] == its[0] {
		begin, mine, its = begin+1, mine[1:], its[1:]
	}
	for len(mine) > 0 && len(its) > 0 && mine[len(mine)-1] == its[len(its)-1] {
		end, mine, its = end+1, mine[:len(mine)-1], its[:len(its)-1]
	}
	return begin, mine, its, end
}

// predicate is what a statement says of the person, in small letters.
func (s statement) predicate() (words []string) {
	for _, word := range s.words {
		lower := strings.ToLower(word)
		if len(words) > 0 || !isSubject(lower) {
			words = append(words, lower)
		}
	}
	return words
}

// sameUpTo says whether two statements begin with the same words, one of a topic and at least
// one behind it, and do not share what follows: "favourite colour is".
func (s statement) sameUpTo(other statement, of string) bool {
	begin, mine, its, _ := s.difference(other)
	at := slices.IndexFunc(s.predicate()[:begin], func(word string) bool { return topic(word) == of })
	return at >= 0 && at+1 < begin && len(mine) > 0 && len(its) > 0 && shared(mine, its) == 0
}

// swaps says whether two statements differ at one place only, in at most two words of each,
// among them one that carries meaning.
func (s statement) swaps(other statement) bool {
	begin, mine, its, end := s.difference(other)
	few := func(words []string) bool { return len(words) > 0 && len(words) <= 2 }
	means := func(word string) bool {
		_, isNumber := numeral(word, "")
		return !isNumber && unit(word) == "" && stemOf(word) != ""
	}
	return begin+end > 0 && few(mine) && few(its) && (slices.ContainsFunc(mine, means) || slices.ContainsFunc(its, means))
}
