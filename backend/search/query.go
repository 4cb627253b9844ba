package search

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Query is what somebody asks for. The zero value asks for nothing and finds
// nothing.
type Query struct {
	text    string
	root    *node
	widened map[string][]string // by term: what else stands for it, after a search
}

// Empty reports a query without a word or filter.
func (q Query) Empty() bool { return q.root == nil }

// String is the query as it was typed.
func (q Query) String() string { return q.text }

// AsYouType is the query of somebody who is still typing: the last word, when
// no space follows it, is also the beginning of longer words, if it has two
// characters or more.
func (q Query) AsYouType() Query {
	open, err := parse(q.text, true)
	if err != nil { // it has only fewer reasons to fail than q had
		return q
	}
	return open
}

type op byte

const (
	opAnd op = iota
	opOr
	opNot
	opWord   // all atoms
	opPhrase // all atoms, and the sequence of them in the text
	opField
)

// node is a part of a query. It does not change once parsed.
type node struct {
	op     op
	kids   []*node
	typed  string // the word as it was typed
	quoted bool

	atoms []atom
	bonus string // opWord: a term that adds to the score only
	typo  string // opWord: the term that may be widened, "" for none
	seq   []element

	field  string
	values []string
	dates  []span
}

// atom is what one look into the dictionary finds.
type atom struct {
	term   string
	prefix bool
}

// element is one word of a phrase.
type element struct {
	term   string
	lead   bool // the first character of a word without spaces, whatever follows
	prefix bool
}

func (e element) matches(t *token) bool {
	have := t.term
	if e.lead {
		have = have[:t.lead]
	}
	if e.prefix {
		return len(have) >= len(e.term) && string(have[:len(e.term)]) == e.term
	}
	return string(have) == e.term
}

// maxAtoms is how many words of a phrase or pairs of a run are looked up; more
// tell no more documents apart.
const maxAtoms = 32

// collected is the words of a part of a query.
type collected struct{ tokens []token }

func (c *collected) token(t *token) {
	kept := *t
	kept.term = bytes.Clone(t.term)
	c.tokens = append(c.tokens, kept)
}

// places are the tokens with a position of their own.
func places(tokens []token) []token {
	return slices.DeleteFunc(slices.Clone(tokens), func(t token) bool { return t.extra })
}

// tail reports that token i is the last character of the pair before it.
func tail(main []token, i int) bool {
	return i > 0 && main[i].single() && main[i-1].lead > 0 && !main[i-1].single() && main[i-1].end == main[i].end
}

// wordNode makes a leaf of a word without quotes. Signs in it make a phrase of
// its parts: somebody who types them means them. A word of a script without
// spaces is all its pairs, in any order. open: it may go on.
func (p *parser) wordNode(text string, open bool) *node {
	tokens := p.words(text)
	main := places(tokens)
	if len(main) == 0 {
		return nil
	}
	n := &node{op: opWord, typed: text}
	if term, ok := joined(tokens, main); ok {
		main = []token{{term: term}}
	}
	spaceless := slices.ContainsFunc(main, func(t token) bool { return t.lead > 0 })
	if len(main) > 1 && !spaceless {
		return p.sequence(n, main, open)
	}
	n.atoms = atomsOf(main, open)
	if len(main) == 1 && !spaceless {
		n.plain(p.asYouType)
	} else if len(n.atoms) > 1 {
		n.seq = elements(main, open) // to mark the word where it stands whole
	}
	return n
}

// plain sets what only a single word has.
func (n *node) plain(asYouType bool) {
	a := &n.atoms[0]
	if a.prefix && asYouType {
		n.bonus = a.term
	}
	if (!a.prefix || asYouType) && correctable(a.term) {
		n.typo = a.term
	}
}

// minTypo is how many letters a word needs to be widened.
const minTypo = 4

// correctable reports a word in which a slip is likelier than a name or number
// that looks like one.
func correctable(term string) bool {
	odd := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }
	return utf8.RuneCountInString(term) >= minTypo && !strings.ContainsFunc(term, odd)
}

// joined is the one word of e-mail.
func joined(tokens, main []token) ([]byte, bool) {
	if len(main) != 2 {
		return nil, false
	}
	for _, t := range tokens {
		if t.extra && t.start == main[0].start && t.end == main[1].end {
			return t.term, true
		}
	}
	return nil, false
}

// atomsOf looks up every word; of scripts without spaces every pair, and a
// character that stands alone as the beginning of one.
func atomsOf(main []token, open bool) (atoms []atom) {
	for i, t := range main {
		if tail(main, i) {
			if open {
				atoms[len(atoms)-1].prefix = true
			}
			continue
		}
		a := atom{term: string(t.term), prefix: t.single() || open && i == len(main)-1}
		if len(atoms) < maxAtoms {
			atoms = append(atoms, a)
		}
	}
	return atoms
}

// sequence makes a phrase of words.
func (p *parser) sequence(n *node, main []token, open bool) *node {
	n.op = opPhrase
	n.atoms = atomsOf(main, open)
	n.seq = elements(main, open)
	return n
}

// elements are the words of a phrase. When its end is open, so are the last
// character of a script without spaces and the pair that ends with it.
func elements(main []token, open bool) (seq []element) {
	last := len(main) - 1
	for i, t := range main {
		loose := open && (i == last || i == last-1 && tail(main, last))
		seq = append(seq, element{term: string(t.term), lead: t.single(), prefix: loose})
	}
	return seq
}

// phraseNode makes a leaf of what stands in quotes.
func (p *parser) phraseNode(text string, open bool) *node {
	main := places(p.words(text))
	n := &node{op: opWord, typed: text, quoted: true}
	switch {
	case len(main) == 0:
		return nil
	case len(main) == 1, len(main) == 2 && tail(main, 1):
		n.atoms = atomsOf(main, open)
		return n
	}
	return p.sequence(n, main, open)
}

func (p *parser) words(text string) []token {
	var c collected
	p.scan.scan(text, &c)
	return c.tokens
}
