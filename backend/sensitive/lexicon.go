package sensitive

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// class is what an entry of a word list says: a topic, strongly or weakly, or one of the classes
// of names below. The heading of the entry in words/ names it.
type class uint8

const (
	strong class = 0 // + 2 × the topic's place in Topics
	weak   class = 1

	givenName  class = 12 // names strong: a first name
	otherName  class = 13 // names weak: a family name, or a first name that is a common word, too
	introduces class = 16 // names before: a person's name follows, often
	noPerson   class = 17 // names not: capitalised, and no private person
	classes          = 18
)

// classOf returns the class of a heading, without its brackets.
func classOf(heading string) (class, error) {
	switch heading {
	case "names before":
		return introduces, nil
	case "names not":
		return noPerson, nil
	}
	for i, t := range Topics() {
		switch heading {
		case string(t) + " strong":
			return class(2*i) + strong, nil
		case string(t) + " weak":
			return class(2*i) + weak, nil
		}
	}
	return 0, fmt.Errorf("no class has the heading %q", heading)
}

// lexicon is the word list of one language, as a trie of words.
type lexicon struct{ first node }

// node is a place in a phrase: what ends here, and which words may follow.
type node struct {
	ends []class
	next map[string]*node
	// stems are words whose end is open, by their beginning; none is followed by another.
	stems map[string][]class
}

// parseLexicon reads a file of words/: headings in brackets, below them an entry a line: a word
// or a phrase, whose last word ends openly where a star stands.
func parseLexicon(text string) (*lexicon, error) {
	l := &lexicon{}
	var c class
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if heading, ok := strings.CutPrefix(line, "["); ok {
			var err error
			if c, err = classOf(strings.TrimSuffix(heading, "]")); err != nil {
				return nil, err
			}
			continue
		}
		l.add(line, c)
	}
	return l, nil
}

func (l *lexicon) add(entry string, c class) {
	entry, open := strings.CutSuffix(entry, "*")
	words := tokens(entry)
	if len(words) == 0 {
		return
	}
	at := &l.first
	for _, w := range words[:len(words)-1] {
		at = at.child(w.folded)
	}
	last := words[len(words)-1].folded
	if !open {
		end := at.child(last)
		end.ends = append(end.ends, c)
		return
	}
	if at.stems == nil {
		at.stems = map[string][]class{}
	}
	at.stems[last] = append(at.stems[last], c)
}

func (n *node) child(word string) *node {
	if n.next == nil {
		n.next = map[string]*node{}
	}
	if n.next[word] == nil {
		n.next[word] = &node{}
	}
	return n.next[word]
}

// match calls found for each entry that stands in the words: its class, and the range of the
// words that it covers.
func (l *lexicon) match(words []token, found func(c class, from, to int)) {
	for i := range words {
		at := &l.first
		for j := i; j < len(words) && at != nil; j++ {
			for stem := range stemsOf(words[j].folded) {
				for _, c := range at.stems[stem] {
					found(c, i, j+1)
				}
			}
			if at = at.next[words[j].folded]; at == nil {
				break
			}
			for _, c := range at.ends {
				found(c, i, j+1)
			}
		}
	}
}

// shortestStem is how many bytes an entry with an open end has at least.
const shortestStem = 3

// stemsOf yields the beginnings of a word, the word itself among them.
func stemsOf(word string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for i := range word {
			if i >= shortestStem && !yield(word[:i]) {
				return
			}
		}
		yield(word)
	}
}

// token is a word of a text, or a number with the signs inside it.
type token struct {
	text   string // as it stands
	folded string // lower case, without accents
	first  bool   // it begins a sentence
}

// tokens cuts a text into words at whatever is no letter, digit or mark.
func tokens(text string) (words []token) {
	begin, first := -1, true
	end := func(to int) {
		if begin >= 0 {
			words = append(words, token{text[begin:to], fold(text[begin:to]), first})
			begin, first = -1, false
		}
	}
	for i, r := range text {
		if unicode.In(r, unicode.Letter, unicode.Digit, unicode.Mark) {
			if begin < 0 {
				begin = i
			}
			continue
		}
		end(i)
		first = first || strings.ContainsRune(".!?:;\n•*-–—\"“„«(", r)
	}
	end(len(text))
	return words
}

// fold returns a word in lower case without its accents, as people type it in a hurry.
func fold(word string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(strings.ToLower(word)))
}
