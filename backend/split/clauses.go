package split

import (
	"slices"
	"strings"
)

// cutSentences cuts a part of the text into sentences.
func (s *splitter) cutSentences(at span) []span {
	if s.words == nil {
		return []span{at}
	}
	tokens := s.tokensOf(at)
	var parts []span
	start := at.start
	for n := 1; n < len(tokens); n++ {
		if !s.endsSentence(tokens, n) {
			continue
		}
		gap := tokens[n].before
		stop := strings.LastIndexAny(gap, ".!?")
		parts = append(parts, span{start, tokens[n-1].end + stop + 1})
		start = tokens[n].start - opening(gap[stop+1:])
	}
	return append(parts, span{start, at.end})
}

// endsSentence reports whether a sentence ends before the nth word.
func (s *splitter) endsSentence(tokens []token, n int) bool {
	gap := tokens[n].before
	stop := strings.IndexAny(gap, ".!?")
	if stop < 0 || !strings.ContainsAny(gap[stop:], " \t\n\u00a0") || !s.isCapital(tokens[n]) || tokens[n].inside && tokens[n-1].inside {
		return false
	}
	word := tokens[n-1].word
	isShort := s.words.has("short", word) || len([]rune(word)) == 1 && strings.Trim(word, "0123456789") != ""
	isOrdinal := s.isGerman() && len(word) <= 2 && strings.Trim(word, "0123456789") == ""
	return gap[stop] != '.' || !isShort && !isOrdinal
}

// sentences finds the facts of a paragraph. The pronoun that begins a sentence is replaced by the
// subject of the sentence before, if no other person was named since; a sentence that refers to the
// one before in another way is kept together with it.
func (s *splitter) sentences(at span) {
	subject := ""
	var open span // a sentence that may have others leaning on it
	var of clauseContext
	flush := func(whole bool) {
		switch {
		case open.end == open.start:
		case whole:
			of.whole = true
			s.clauses(open, of)
		default:
			for _, part := range s.cutSemicolons(open, 2) {
				s.clauses(part, of)
				of.subject, of.skip = "", 0
			}
		}
	}
	leant := false
	for _, sentence := range s.cutSentences(at) {
		tokens := s.tokensOf(sentence)
		if len(tokens) == 0 {
			continue
		}
		first := tokens[0].word
		next := clauseContext{}
		if subject != "" && len(tokens) > 1 && s.words.has("pronoun", first) && s.words.has("third", s.verbAfter(tokens, 1)) {
			next = clauseContext{subject: subject, skip: 1}
		} else if open.end > open.start && s.words.has("leans", first) {
			open.end, leant = sentence.end, true
			subject = ""
			continue
		}
		flush(leant)
		open, of, leant = sentence, next, false
		h := s.head(tokens, next.skip)
		if h.ok && h.subject > 0 && next.skip == 0 && !s.words.has("own", first) && !s.words.has("self", first) {
			subject = s.text[tokens[0].start:tokens[h.subject-1].end]
		} else if next.skip == 0 {
			subject = ""
		}
		for n, t := range tokens {
			if isOffice := h.ok && n == h.verb+1; s.words.has("people", t.word) && !isOffice { // "Marie est cheffe de …"
				subject = ""
			}
		}
	}
	flush(leant)
}

// clauseContext is what a sentence is read with.
type clauseContext struct {
	heading string // that goes along with each fact
	subject string // that its first words stand for
	skip    int    // how many words these are
	whole   bool   // it is one fact
}

// head is how a statement begins.
type head struct {
	ok      bool
	subject int // how many words its subject has
	verb    int // which word the verb is
	person  string
}

// head finds the subject and the verb at the beginning of a statement; skip words stand for a
// subject in the third person.
func (s *splitter) head(tokens []token, skip int) head {
	if len(tokens) < 2 {
		return head{}
	}
	h := head{person: "third", subject: skip}
	switch first := tokens[0].word; {
	case skip > 0:
	case s.words.has("self", first):
		h.subject, h.person = 1, "first"
	case s.words.has("user", first):
		h.subject = 1
	case s.words.has("user", tokens[1].word):
		h.subject = 2
	case s.words.has("own", first):
		h.subject = s.nounPhrase(tokens)
		h.verb, h.ok = h.subject, h.subject > 0
		return h
	case s.words.has("third", first):
	case s.words.has("first", first):
		h.person = "first"
	case s.isCapital(tokens[0]) && len([]rune(first)) > 1 && !s.words.has("not", first):
		h.subject = 1
		if s.isCapital(tokens[1]) && tokens[1].before == " " {
			h.subject = 2
		}
	}
	h.verb = s.skipNot(tokens, h.subject)
	h.ok = h.verb < len(tokens) && s.words.has(h.person, tokens[h.verb].word)
	return h
}

// longestName is how many words a subject such as "my wife Ana" may have.
const longestName = 5

// nounPhrase returns how many words stand before the verb of "my wife Ana works …", 0 where there
// is none.
func (s *splitter) nounPhrase(tokens []token) int {
	for n := 2; n < len(tokens) && n <= longestName; n++ {
		if strings.TrimSpace(tokens[n].before) != "" || s.words.has("and", tokens[n].word) {
			return 0
		}
		if v := s.skipNot(tokens, n); v < len(tokens) && s.words.has("third", tokens[v].word) {
			return n
		}
	}
	return 0
}

// mostNots is how many words such as "not" and "also" may stand before a verb.
const mostNots = 2

func (s *splitter) skipNot(tokens []token, n int) int {
	for i := 0; i < mostNots && n < len(tokens) && s.words.has("not", tokens[n].word); i++ {
		n++
	}
	return n
}

func (s *splitter) verbAfter(tokens []token, n int) string {
	if n = s.skipNot(tokens, n); n < len(tokens) {
		return tokens[n].word
	}
	return ""
}

// clauses adds the facts of a sentence or of a part of one: what "and" or a comma joins to the
// first statement with a verb of its own.
func (s *splitter) clauses(at span, with clauseContext) {
	tokens := s.tokensOf(at)
	if len(tokens) == 0 {
		return
	}
	h := s.head(tokens, with.skip)
	prefix := with.heading
	isWhole := with.whole || slices.ContainsFunc(tokens, func(t token) bool { return s.words.has("whole", t.word) })
	if isWhole || !h.ok && with.heading == "" {
		s.add(prefix, with.subject, span{s.startOf(at, tokens, with.skip), at.end})
		return
	}
	if !h.ok { // a fragment under a heading, which may go on with a verb
		h = head{person: "third"}
	}
	subject := with.subject
	if with.skip == 0 && h.ok && h.subject > 0 {
		subject = s.text[tokens[0].start:tokens[h.subject-1].end]
	}
	carried := with.subject // of the clause that is open
	start, from := s.startOf(at, tokens, with.skip), with.skip
	verb := tokens[h.verb].word
	least := h.subject + 2 // words that the open clause needs
	for n := max(h.verb, with.skip) + 1; n < len(tokens); n++ {
		t := tokens[n]
		if t.inside {
			continue
		}
		if s.words.has("under", t.word) || s.isRelative(t) {
			break
		}
		afterAnd := s.words.has("and", tokens[n-1].word)
		if !afterAnd && !strings.HasPrefix(strings.TrimLeft(t.before, ")"), ",") || s.words.has("and", t.word) {
			continue
		}
		last := n - 1 // last word of the open clause
		if afterAnd {
			last--
		}
		if last-from+1 < least {
			continue
		}
		next, isNew := s.statement(tokens, n, h.person, verb)
		if next < 0 && s.isDescribed(tokens[n:]) {
			break
		}
		if next < 0 {
			continue
		}
		s.add(prefix, carried, span{start, tokens[last].end + closing(tokens[last+1].before)})
		start, from, verb = t.start-opening(t.before), n, tokens[next].word
		carried, least = subject, 2
		if isNew {
			carried, least = "", next-n+2
			subject = s.text[t.start:tokens[next-1].end]
			if h.person = "third"; s.words.has("self", t.word) {
				h.person = "first"
			}
		}
	}
	s.add(prefix, carried, span{start, at.end})
}

// startOf is where a part begins without the words that its subject takes the place of.
func (s *splitter) startOf(at span, tokens []token, skip int) int {
	if skip > 0 && skip < len(tokens) {
		return tokens[skip].start
	}
	return at.start
}

// isRelative reports a German relative pronoun: "…, der in Berlin wohnt".
func (s *splitter) isRelative(t token) bool {
	if !s.isGerman() || !strings.Contains(t.before, ",") {
		return false
	}
	switch t.word {
	case "der", "die", "das", "den", "dem", "deren", "dessen", "welche", "welcher", "welches", "um", "zu":
		return true
	}
	return false
}

// isDescribed reports "his wife, a doctor, …": a subject whose verb comes after more words.
func (s *splitter) isDescribed(tokens []token) bool {
	if !s.words.has("own", tokens[0].word) {
		return false
	}
	for _, t := range tokens[1:min(len(tokens), longestName)] {
		if strings.Contains(t.before, ",") {
			return isIndefinite(t.word)
		}
	}
	return false
}

// statement returns which word is the verb of a statement that begins with the nth word, and
// whether it has a subject of its own; -1: none begins there.
func (s *splitter) statement(tokens []token, n int, person, verbBefore string) (verb int, isNew bool) {
	first := tokens[n].word
	switch {
	case s.words.has("self", first):
		v := s.skipNot(tokens, n+1)
		if v+1 < len(tokens) && s.words.has("first", tokens[v].word) {
			return v, true
		}
		return -1, false
	case s.words.has("own", first):
		if size := s.nounPhrase(tokens[n:]); size > 0 && n+size+1 < len(tokens) {
			return n + size, true
		}
		return -1, false
	}
	v := s.skipNot(tokens, n)
	if v+1 >= len(tokens) || strings.TrimSpace(tokens[v+1].before) != "" && !tokens[v+1].inside {
		return -1, false
	}
	word, after := tokens[v].word, tokens[v+1].word
	if !s.words.has(person, word) || s.words.has("and", after) {
		return -1, false
	}
	if s.words.has("leans", after) && !s.words.has("not", after) { // "sold it"
		return -1, false
	}
	isNoun := s.words.has("noun", word) && !s.words.has("article", after) && s.words.has("and", tokens[max(n-1, 0)].word)
	isLate := s.words.has("past", word) && !s.words.has("past", verbBefore)
	if isNoun || isLate {
		return -1, false
	}
	return v, false
}

// add adds a fact, unless nothing is left of it.
func (s *splitter) add(heading, subject string, own span) {
	said := plain(s.text[own.start:own.end])
	if said == "" {
		return
	}
	parts := make([]string, 0, 3)
	for _, p := range []string{heading, subject, said} {
		if p = plain(p); p != "" {
			parts = append(parts, p)
		}
	}
	s.facts = append(s.facts, Fact{strings.Join(parts, " "), own.start, own.end})
}

// plain is a text in one line, without bold marks and what ends a sentence.
func plain(text string) string {
	text = strings.Join(strings.Fields(strings.ReplaceAll(text, "**", "")), " ")
	return strings.TrimRight(text, ".;, ")
}
