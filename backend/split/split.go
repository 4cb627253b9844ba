package split

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Fact is one of the facts that a text holds.
type Fact struct {
	Text       string // complete by itself: its own words after the heading or subject they stood under
	Start, End int    // of its own words, in bytes of the text
}

// longest is the length in bytes from which a text is no memory any more.
const longest = 100 << 10

// Facts returns the single facts of a memory's text in their order, nil where it is one fact, or
// where nothing can be told. Without a language that words.txt has, only lists and semicolons
// part facts.
func Facts(text, language string) []Fact {
	if len(text) > longest || strings.Contains(text, "```") || strings.Contains(text, "~~~") {
		return nil
	}
	l := lexiconOf(language)
	s := &splitter{text: text, words: l, elides: l.has("self", "j'")}
	if isTable := !s.lines(); isTable || len(s.facts) < 2 {
		return nil
	}
	return s.facts
}

// splitter collects the facts of one text.
type splitter struct {
	text   string
	words  lexicon
	elides bool // the language writes "l'" and "j'"
	facts  []Fact
}

// span is a part of the text, in bytes.
type span struct{ start, end int }

// item is a line of a list, or a paragraph.
type item struct {
	span
	heading string // that it stands under
}

var (
	markedHeading = regexp.MustCompile(`^(?:#{1,6}\s+(.{1,80}?)|\*\*([^*]{1,80})\*\*):?$`)
	colonHeading  = regexp.MustCompile(`^(?:[-*•]\s+)?([^:.;!?,]{1,60}?)\s?:$`)
	bullet        = regexp.MustCompile(`^(?:[-*•–]|\d{1,3}[.)])\s+`)
)

// lines reads the text line by line. It returns false for a table.
func (s *splitter) lines() bool {
	var heading string
	marked := false // the heading is one of Markdown, which holds over empty lines
	var open item   // a paragraph that may go on
	flush := func() {
		if open.end > open.start {
			s.item(open)
		}
		open = item{}
	}
	at := 0
	for line := range strings.SplitAfterSeq(s.text, "\n") {
		start := at + len(line) - len(strings.TrimLeft(line, " \t\r\n"))
		at += len(line)
		trimmed := strings.TrimSpace(line)
		end := start + len(trimmed)
		switch {
		case strings.HasPrefix(trimmed, "|"):
			return false
		case trimmed == "":
			flush()
			if !marked {
				heading = ""
			}
		case markedHeading.MatchString(trimmed):
			flush()
			found := markedHeading.FindStringSubmatch(trimmed)
			heading, marked = s.asHeading(found[1]+found[2]), true
		case colonHeading.MatchString(trimmed) && len(strings.Fields(trimmed)) <= longestHeading:
			flush()
			heading, marked = bullet.ReplaceAllString(trimmed, ""), false
		case bullet.MatchString(trimmed):
			flush()
			open = item{span{start + len(bullet.FindString(trimmed)), end}, heading}
		case open.end > open.start && s.goesOn(open.span, trimmed):
			open.end = end
		default:
			flush()
			open = item{span{start, end}, heading}
		}
	}
	flush()
	return true
}

// asHeading writes the words of a heading with a colon, before which French has a space.
func (s *splitter) asHeading(words string) string {
	words = strings.TrimRight(words, ": ")
	if s.elides {
		return words + " :"
	}
	return words + ":"
}

// longestHeading is the number of words that a heading may have.
const longestHeading = 6

// goesOn reports whether a line goes on with the sentence of the line before.
func (s *splitter) goesOn(before span, line string) bool {
	first, _ := utf8.DecodeRuneInString(line)
	return unicode.IsLower(first) && !strings.ContainsAny(s.text[before.end-1:before.end], ".!?:;")
}

var inlineHeading = regexp.MustCompile(`^(?:\*\*)?(\p{L}[^:.,;!?*"“«(]{0,40}?)(\s?(?:\*\*:|:\*\*|:))\s+`)

// headingOf returns the heading that a part begins with, with its colon, and what follows it; ""
// and the part where there is none.
func (s *splitter) headingOf(at span) (string, span) {
	found := inlineHeading.FindStringSubmatchIndex(s.text[at.start:at.end])
	if found == nil {
		return "", at
	}
	heading := s.text[at.start+found[2] : at.start+found[5]]
	if len(strings.Fields(heading)) > longestHeading {
		return "", at
	}
	return strings.ReplaceAll(heading, "*", ""), span{at.start + found[1], at.end}
}

// item finds the facts of a line or paragraph.
func (s *splitter) item(i item) {
	if heading, rest := s.headingOf(i.span); heading != "" {
		s.under(heading, rest)
		return
	}
	if isSentence := strings.ContainsAny(s.text[i.end-1:i.end], ".!?"); i.heading != "" && !isSentence {
		s.under(i.heading, i.span)
		return
	}
	s.sentences(i.span)
}

// under finds the facts of the text after a heading. Those of its first sentence get the heading as
// context; the sentences after it are read without.
func (s *splitter) under(heading string, at span) {
	sentences := s.cutSentences(at)
	for n, sentence := range sentences {
		if n > 0 {
			s.sentences(span{sentence.start, at.end})
			return
		}
		for _, part := range s.cutSemicolons(sentence, 1) {
			own, rest := s.headingOf(part)
			if own == "" {
				own = heading
			}
			for _, entry := range s.cutList(own, rest) {
				s.clauses(entry, clauseContext{heading: own})
			}
		}
	}
}

// cutSemicolons cuts at the semicolons outside of brackets, unless a part has too few words.
func (s *splitter) cutSemicolons(at span, fewest int) []span {
	tokens := s.tokensOf(at)
	var cuts []int
	last := 0
	for n, t := range tokens {
		if n > 0 && !t.inside && strings.Contains(t.before, "; ") && !strings.ContainsAny(t.before, "()[]{}\"“”«»„`") {
			if n-last < fewest || len(tokens)-n < fewest {
				return []span{at}
			}
			cuts, last = append(cuts, n), n
		}
	}
	return s.cutBefore(at, tokens, cuts)
}

// cutBefore cuts a part before the words with these numbers. Each piece ends with its last word
// and the brackets that it closes.
func (s *splitter) cutBefore(at span, tokens []token, cuts []int) []span {
	var parts []span
	start := at.start
	for _, n := range cuts {
		parts = append(parts, span{start, tokens[n-1].end + closing(tokens[n].before)})
		start = tokens[n].start - opening(tokens[n].before)
	}
	return append(parts, span{start, at.end})
}

// closing is how much of what stands between two words belongs to the first, opening how much
// to the second.
func closing(gap string) int {
	return len(gap) - len(strings.TrimLeft(gap, ")]}\"”»“`*%€$+#'’"))
}
func opening(gap string) int {
	return len(gap) - len(strings.TrimRight(gap, "([{\"“«„`*€$#+@~<>=/-"))
}

// cutList cuts what stands under the heading of a list at its commas, and of a list without
// names also at its last "and".
func (s *splitter) cutList(heading string, at span) []span {
	name := strings.TrimRight(strings.ToLower(heading), " :")
	items, group := s.words.has("items", name), s.words.has("group", name)
	if !items && !group {
		return []span{at}
	}
	tokens := s.tokensOf(at)
	var cuts, ands []int
	isSerial := false // a comma stands before "and"
	for n, t := range tokens {
		afterComma := strings.HasPrefix(strings.TrimLeft(t.before, ")"), ",")
		isAnd := s.words.has("and", t.word)
		switch {
		case n == 0 || t.inside:
		case afterComma && s.leansOnName(tokens, n):
			return []span{at}
		case afterComma:
			cuts = append(cuts, n)
			isSerial = isSerial || isAnd
		case isAnd:
			ands = append(ands, n)
		}
	}
	if last := len(cuts) - 1; items && !isSerial && last >= 0 && len(ands) == 1 && s.joinsLast(tokens, cuts[last], ands[0]) {
		cuts = append(cuts, ands[0]+1)
	}
	return s.withoutAnd(s.cutBefore(at, tokens, cuts))
}

// joinsLast reports whether "and" joins the last two entries of a list, of which the first begins
// with the word from: not "Ana Lee and Bo", which may be one.
func (s *splitter) joinsLast(tokens []token, from, and int) bool {
	words := 0
	for _, t := range tokens[from:max(and, from)] {
		if !t.inside {
			words++
		}
	}
	return words > 0 && and+1 < len(tokens) && (words == 1 || !s.isCapital(tokens[and+1]))
}

// leansOnName reports whether what follows a comma may say more of what stands before it: a
// number, "a nurse" after a name, "who …".
func (s *splitter) leansOnName(tokens []token, n int) bool {
	t := tokens[n]
	alone := n+1 == len(tokens) || strings.Contains(tokens[n+1].before, ",")
	isNumber := strings.Trim(t.word, "0123456789") == ""
	named := s.isCapital(tokens[n-1]) && (!s.isGerman() && isIndefinite(t.word) || s.words.has("own", t.word))
	return isNumber && alone || s.words.has("under", t.word) || named
}

// isGerman tells the language that writes all nouns with a capital, numbers with a full stop, and
// relative pronouns like articles.
func (s *splitter) isGerman() bool { return s.words.has("self", "ich") }

func isIndefinite(word string) bool {
	return slices.Contains([]string{"a", "an", "um", "uma", "un", "una", "une", "ein", "eine"}, word)
}

// withoutAnd takes a leading or trailing "and" off the entries of a list.
func (s *splitter) withoutAnd(parts []span) []span {
	for i, p := range parts {
		tokens := s.tokensOf(p)
		if n := len(tokens); n > 1 && i+1 < len(parts) && s.words.has("and", tokens[n-1].word) {
			parts[i].end = tokens[n-2].end + closing(tokens[n-1].before)
		}
		if n := len(tokens); n > 1 && i > 0 && s.words.has("and", tokens[0].word) {
			parts[i].start = tokens[1].start - opening(tokens[1].before)
		}
	}
	return parts
}
