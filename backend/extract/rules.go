package extract

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"keepsake/backend/memory"
)

// A rule file has one statement a line:
//
//	small a b c              small words by which the language is known
//	word NAME REGEXP         {NAME} stands for it in what follows
//	lead REGEXP              may stand before a sentence that a rule takes
//	not message REGEXP       a message in which it occurs gives nothing
//	not sentence REGEXP      neither does a sentence that begins with it
//	alarm a b c              one of these stands in whatever a flag takes
//	flag NAME REGEXP         an attempt to command an assistant
//	head a | b               how the sentences of the rules below begin; "* a" stands anywhere in them,
//	                         and their rules are about the whole sentence
//	never REGEXP             what may not follow these heads
//	later                    the heads below are asked where none above takes the sentence or refuses it
//	TYPE NAME SURE REGEXP    a rule: what follows the head
//	= example                a sentence that this rule takes, and no other before it
//
// Regular expressions are Go's, do not tell small from capital letters, and end
// where a word ends. {Name} is a word with a capital.

// language is one compiled rule file.
type language struct {
	name        string
	small       map[string]bool
	lead        *regexp.Regexp
	notMessage  []*regexp.Regexp
	notSentence []*regexp.Regexp
	alarms      []string
	flags       []named
	tiers       []*tier
	rules       []*rule
}

// tier holds the heads that are asked together.
type tier struct {
	heads  map[string][]head // by their first word
	inside []head            // that may stand anywhere
}

type named struct {
	name string
	re   *regexp.Regexp
}

// head is one beginning with the section it opens.
type head struct {
	text    string
	section *section
}

type section struct {
	never []*regexp.Regexp
	rules []*rule
}

type rule struct {
	name     string
	memory   memory.Type
	sure     float64
	re       *regexp.Regexp
	examples []string
}

// parser reads a rule file.
type parser struct {
	language
	words   map[string]string
	leads   []string
	section *section
	rule    *rule
}

const properName = `(?-i:\p{Lu}[\p{L}\p{N}.+#'/-]*)`

func parse(name, text string) (*language, error) {
	p := &parser{
		language: language{name: name, small: map[string]bool{}, tiers: []*tier{{heads: map[string][]head{}}}},
		words:    map[string]string{"Name": properName},
	}
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := p.statement(line); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	lead, err := regexp.Compile(`(?i)^[\s\x00*•-]*(?:(?:` + strings.Join(p.leads, "|") + `)[\s,]+)*`)
	p.lead = lead
	for _, t := range p.tiers {
		for _, heads := range t.heads { // the longest first
			slices.SortStableFunc(heads, func(a, b head) int { return len(b.text) - len(a.text) })
		}
	}
	return &p.language, err
}

func (p *parser) statement(line string) error {
	word, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	switch word {
	case "small":
		for _, w := range strings.Fields(rest) {
			p.small[w] = true
		}
	case "word":
		name, re, _ := strings.Cut(rest, " ")
		p.words[name] = "(?:" + p.filled(strings.TrimSpace(re)) + ")"
	case "lead":
		p.leads = append(p.leads, p.filled(rest))
	case "not":
		return p.veto(rest)
	case "alarm":
		p.alarms = append(p.alarms, strings.Fields(rest)...)
	case "flag":
		name, re, _ := strings.Cut(rest, " ")
		compiled, err := p.compile(`(?:^|[^\p{L}\p{N}])`, strings.TrimSpace(re))
		p.flags = append(p.flags, named{p.name + "/" + name, compiled})
		return err
	case "head":
		p.openSection(rest)
	case "later":
		p.tiers, p.section = append(p.tiers, &tier{heads: map[string][]head{}}), nil
	case "never":
		re, err := p.compile(`^[\s\x00,]*`, rest)
		if p.section == nil {
			return errors.New("never stands before the first head")
		}
		p.section.never = append(p.section.never, re)
		return err
	case "=":
		if p.rule == nil {
			return errors.New("an example without a rule")
		}
		p.rule.examples = append(p.rule.examples, rest)
	default:
		return p.addRule(memory.Type(word), rest)
	}
	return nil
}

func (p *parser) veto(rest string) error {
	what, re, _ := strings.Cut(rest, " ")
	switch what {
	case "message":
		compiled, err := p.compile(`(?:^|[^\p{L}\p{N}])`, strings.TrimSpace(re))
		p.notMessage = append(p.notMessage, compiled)
		return err
	case "sentence":
		compiled, err := p.compile(`^[\s\x00]*`, strings.TrimSpace(re))
		p.notSentence = append(p.notSentence, compiled)
		return err
	}
	return fmt.Errorf("there is no such thing as not %s", what)
}

func (p *parser) openSection(rest string) {
	p.section = &section{}
	t := p.tiers[len(p.tiers)-1]
	for text := range strings.SplitSeq(rest, "|") {
		text = strings.TrimSpace(text)
		if words, ok := strings.CutPrefix(text, "* "); ok {
			t.inside = append(t.inside, head{words, p.section})
			continue
		}
		first := firstWord(text)
		t.heads[first] = append(t.heads[first], head{text, p.section})
	}
}

func (p *parser) addRule(t memory.Type, rest string) error {
	fields := strings.SplitN(rest, " ", 2)
	if p.section == nil || len(fields) != 2 || !slices.Contains(memory.Types(), t) {
		return errors.New("this is not a rule: TYPE NAME SURE REGEXP below a head")
	}
	name := fields[0]
	sure, re, _ := strings.Cut(strings.TrimSpace(fields[1]), " ")
	percent, err := strconv.Atoi(sure)
	if err != nil {
		return err
	}
	compiled, err := p.compile(`^[\s\x00,]*`, strings.TrimSpace(re))
	p.rule = &rule{name: p.name + "/" + name, memory: t, sure: float64(percent) / 100, re: compiled}
	p.section.rules = append(p.section.rules, p.rule)
	p.rules = append(p.rules, p.rule)
	return err
}

// compile makes a regular expression that ends where a word ends.
func (p *parser) compile(before, re string) (*regexp.Regexp, error) {
	return regexp.Compile(`(?i)` + before + `(?:` + p.filled(re) + `)(?:[^\p{L}\p{N}]|$)`)
}

var placeholder = regexp.MustCompile(`\{(\p{L}+)\}`)

// filled writes out the words in braces.
func (p *parser) filled(re string) string {
	return placeholder.ReplaceAllStringFunc(re, func(name string) string {
		if word, ok := p.words[name[1:len(name)-1]]; ok {
			return word
		}
		return name // {2} and the like are no words
	})
}

// firstWord is what heads are kept by: up to the first space, or with the
// first apostrophe.
func firstWord(s string) string {
	if i := strings.IndexAny(s, " ,'"); i >= 0 {
		if s[i] == '\'' {
			return s[:i+1]
		}
		return s[:i]
	}
	return strings.TrimRight(s, ".!?")
}

// flagged finds the attempts to command an assistant; lower is the text in
// small letters.
func (l *language) flagged(text, lower string) []Flag {
	if !slices.ContainsFunc(l.alarms, func(word string) bool { return strings.Contains(lower, word) }) {
		return nil
	}
	var all []Flag
	for _, f := range l.flags {
		if at := f.re.FindStringIndex(text); at != nil {
			all = append(all, Flag{Rule: f.name, Start: at[0], End: at[1]})
		}
	}
	return all
}

// find asks the rules about one piece of a text.
func (l *language) find(text string, p piece) (Finding, bool) {
	if p.asks {
		return Finding{}, false
	}
	body := text[p.start:p.end]
	lead := l.lead.FindStringIndex(body)[1]
	r := l.match(squeeze(body[lead:]))
	if r == nil && lead > 0 { // what leads up may be the beginning itself: "As a nurse …"
		lead = len(body) - len(strings.TrimLeft(body, " \n\t"))
		r = l.match(squeeze(body[lead:]))
	}
	if r == nil || matches(l.notSentence, squeeze(body)) {
		return Finding{}, false
	}
	return Finding{
		Type: r.memory, Start: p.start + lead, End: p.end, Rule: r.name, Language: l.name, Confidence: r.sure,
	}, true
}

// match finds the rule that takes a sentence, nil where none does. What speaks
// against the sentence is looked for last: few are taken.
func (l *language) match(said string) *rule {
	r := l.ruleFor(said)
	if r == nil || matches(l.notSentence, said) {
		return nil
	}
	return r
}

func (l *language) ruleFor(said string) *rule {
	lower := strings.ToLower(said)
	for _, t := range l.tiers {
		if r, refused := t.ruleFor(said, lower); r != nil || refused {
			return r
		}
	}
	return nil
}

// ruleFor finds the rule that takes a sentence, or reports that a head is followed by what may
// not follow it.
func (t *tier) ruleFor(said, lower string) (r *rule, refused bool) {
	for _, h := range t.heads[firstWord(lower)] {
		rest, ok := after(said, lower, h.text)
		if !ok {
			continue
		}
		if matches(h.section.never, rest) {
			return nil, true
		}
		if r := h.section.match(rest); r != nil {
			return r, false
		}
	}
	for _, h := range t.inside {
		if !strings.Contains(lower, h.text) || matches(h.section.never, said) {
			continue
		}
		if r := h.section.match(said); r != nil {
			return r, false
		}
	}
	return nil, false
}

// match finds the section's first rule that takes what follows its head, nil
// where none does.
func (s *section) match(rest string) *rule {
	for _, r := range s.rules {
		if r.re.MatchString(rest) {
			return r
		}
	}
	return nil
}

// after is what follows a head in a piece that begins with it.
func after(said, lower, head string) (string, bool) {
	if !strings.HasPrefix(lower, head) || len(lower) != len(said) {
		return "", false
	}
	rest := said[len(head):]
	if rest != "" && !strings.HasSuffix(head, "'") && !notLetter([]rune(rest)[0]) {
		return "", false
	}
	return rest, true
}
