package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"keepsake/backend/fault"
)

// MaxQuery is how long a query may be, in bytes; MaxLeaves how many words,
// phrases and filters it may have.
const (
	MaxQuery  = 4096
	MaxLeaves = 64
)

// Parse reads a query. Words must all be found; OR between two parts takes
// either, and binds closer than words side by side do, so that a b OR c is a and
// one of b and c. NOT or a hyphen before a part excludes it; parentheses group.
// Words in quotes are a phrase; word* is the beginning of a word. name:value is
// a filter, several values with commas between are alternatives. The names:
//
//	type, category, status, platform, tag, project, role   answered by Options.Field
//	in        memories, conversations, messages, titles
//	date, before, since, after, until   2024, 2024-05 or 2024-05-31; after and until mean its end
//
// Whatever else people type is read as words, and quotes, parentheses and
// operators that lack their other half are passed over. Faults are left for what
// cannot be answered: the beginning of a word in a single letter, a value that a
// filter cannot have, and a query beyond MaxQuery or MaxLeaves.
func Parse(text string) (Query, error) { return parse(text, false) }

func parse(text string, asYouType bool) (Query, error) {
	if len(text) > MaxQuery {
		return Query{}, fault.New(fault.TooLarge, "search-too-long", "This search is too long; at most {limit} bytes fit.").With("limit", MaxQuery)
	}
	text = strings.ToValidUTF8(text, " ")
	p := &parser{text: text, scan: newScanner(), asYouType: asYouType}
	root := p.all()
	if root == nil && p.fault == nil && !p.unfilled { // operators alone are words after all
		p = &parser{text: text, scan: p.scan, asYouType: asYouType, literal: true}
		root = p.all()
	}
	if p.fault != nil {
		return Query{}, p.fault
	}
	if p.leaves > MaxLeaves {
		return Query{}, fault.New(fault.TooLarge, "search-too-many", "This search has too many parts; at most {limit} fit.").With("limit", MaxLeaves)
	}
	return Query{text: text, root: root}, nil
}

// parser reads a query from left to right.
type parser struct {
	text      string
	at        int
	asYouType bool
	literal   bool // operators are words
	unfilled  bool // there was a filter without a value
	scan      *scanner
	leaves    int
	fault     error // the first
}

// all reads the whole text; a parenthesis too many is passed over.
func (p *parser) all() *node {
	var parts []*node
	for p.space(); p.at < len(p.text); p.space() {
		if n := p.and(); n != nil {
			parts = append(parts, n)
		}
		if p.peek() == ')' {
			p.at++
		}
	}
	return join(opAnd, parts)
}

// join makes one node of parts.
func join(o op, parts []*node) *node {
	switch len(parts) {
	case 0:
		return nil
	case 1:
		return parts[0]
	}
	return &node{op: o, kids: parts}
}

// and reads parts side by side, up to a closing parenthesis.
func (p *parser) and() *node {
	var parts []*node
	for p.space(); p.at < len(p.text) && p.peek() != ')'; p.space() {
		if n := p.or(); n != nil {
			parts = append(parts, n)
		}
	}
	return join(opAnd, parts)
}

// or reads one part, or several with OR between them.
func (p *parser) or() *node {
	var parts []*node
	for {
		if n := p.part(); n != nil {
			parts = append(parts, n)
		}
		if !p.operator("OR") && !p.operator("|") {
			return join(opOr, parts)
		}
		for p.operator("OR") || p.operator("|") { // once is enough
		}
		if p.space(); p.at >= len(p.text) || p.peek() == ')' {
			return join(opOr, parts)
		}
	}
}

// part reads one word, phrase, filter or group, or its exclusion.
func (p *parser) part() *node {
	p.space()
	switch {
	case p.at >= len(p.text) || p.peek() == ')':
		return nil
	case p.operator("AND"), p.operator("OR"), p.operator("|"): // with nothing before it
		return nil
	case p.operator("NOT"), p.minus():
		n := p.part()
		if n == nil {
			return nil
		}
		return &node{op: opNot, kids: []*node{n}}
	case !p.literal && p.peek() == '(':
		p.at++
		n := p.and()
		if p.peek() == ')' {
			p.at++
		}
		return n
	}
	return p.leaf()
}

func (p *parser) leaf() *node {
	var n *node
	if quote := p.quote(p.at); quote > 0 {
		n = p.phrase(quote)
	} else if name, ok := p.fieldName(); ok {
		n = p.filter(name)
	} else {
		n = p.word()
	}
	if n != nil {
		p.leaves++
	}
	return n
}

// peek is the byte at hand, 0 at the end.
func (p *parser) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

func (p *parser) space() {
	for p.at < len(p.text) {
		r, size := utf8.DecodeRuneInString(p.text[p.at:])
		if !unicode.IsSpace(r) && !unicode.IsControl(r) {
			return
		}
		p.at += size
	}
}

// operator takes a word of capitals that stands by itself.
func (p *parser) operator(word string) bool {
	p.space()
	rest := p.text[p.at:]
	if p.literal || !strings.HasPrefix(rest, word) {
		return false
	}
	if after := rest[len(word):]; after != "" && after[0] != '(' && after[0] != ')' && after[0] != '"' {
		if r, _ := utf8.DecodeRuneInString(after); !unicode.IsSpace(r) {
			return false
		}
	}
	p.at += len(word)
	return true
}

// minus takes hyphens right before something to exclude.
func (p *parser) minus() bool {
	i := p.at
	for i < len(p.text) && p.text[i] == '-' {
		i++
	}
	if i == p.at || i == len(p.text) || p.literal {
		return false
	}
	if r, _ := utf8.DecodeRuneInString(p.text[i:]); unicode.IsSpace(r) || r == ')' {
		return false
	}
	p.at = i
	return true
}

// quote is the size of a quotation mark at i, 0 when there is none. The mark
// between two Hebrew letters belongs to an abbreviation.
func (p *parser) quote(i int) int {
	r, size := utf8.DecodeRuneInString(p.text[i:])
	switch r {
	case '“', '”', '„', '«', '»', '＂':
		return size
	case '"':
		before, _ := utf8.DecodeLastRuneInString(p.text[:i])
		after, _ := utf8.DecodeRuneInString(p.text[i+1:])
		if unicode.Is(unicode.Hebrew, before) && unicode.Is(unicode.Hebrew, after) {
			return 0
		}
		return 1
	}
	return 0
}

// quoted reads from a quotation mark of that size to the closing one, or to the end
// when it never comes.
func (p *parser) quoted(size int) (text string, closed bool) {
	from := p.at + size
	for i := from; i < len(p.text); i++ {
		if n := p.quote(i); n > 0 {
			p.at = i + n
			return p.text[from:i], true
		}
	}
	p.at = len(p.text)
	return p.text[from:], false
}

func (p *parser) phrase(size int) *node {
	text, closed := p.quoted(size)
	bare := strings.TrimSuffix(text, "*")
	open := p.asYouType && !closed && p.goesOn(text)
	if bare != text && p.goesOn(bare) {
		open = p.starred(bare) || open
	}
	return p.phraseNode(bare, open)
}

// goesOn reports text that does not end in a space.
func (p *parser) goesOn(text string) bool {
	r, _ := utf8.DecodeLastRuneInString(text)
	return text != "" && !unicode.IsSpace(r) && p.long(text)
}

// word reads to the next space, parenthesis or quote.
func (p *parser) word() *node {
	from := p.at
	for p.at < len(p.text) {
		r, size := utf8.DecodeRuneInString(p.text[p.at:])
		if unicode.IsSpace(r) || !p.literal && (r == '(' || r == ')' || p.quote(p.at) > 0) {
			break
		}
		p.at += size
	}
	if p.at == from { // a quote where literal takes none
		p.at++
		return nil
	}
	text := p.text[from:p.at]
	bare := strings.Trim(text, "*")
	open := p.asYouType && p.at == len(p.text) && p.long(bare)
	if strings.HasSuffix(text, "*") && !strings.HasSuffix(text, "**") {
		open = p.starred(bare) || open
	}
	return p.wordNode(bare, open)
}

// starred reports that text is long enough to be the beginning of words.
func (p *parser) starred(text string) bool {
	if len(places(p.words(text))) == 0 {
		return false
	}
	if !p.long(text) && p.fault == nil {
		p.fault = fault.New(fault.Invalid, "search-prefix-short", "The beginning of a word needs at least two letters before the star.")
	}
	return true
}

// long reports that the last word of text has two characters or more, or one of
// a script without spaces.
func (p *parser) long(text string) bool {
	main := places(p.words(text))
	if len(main) == 0 {
		return false
	}
	last := main[len(main)-1]
	return last.lead > 0 || utf8.RuneCount(last.term) > 1
}
