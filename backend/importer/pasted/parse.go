package pasted

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// shape is how the entries of a text are written.
type shape string

const (
	dated    shape = "dated-list"    // [2026-01-02] - content
	numbered shape = "numbered-list" // 1. [2024-05-01]. content
	evidence shape = "evidence-list" // * content, and evidence below
	list     shape = "plain-list"    // one a line
	prose    shape = "prose"         // paragraphs under bold heads
	marked   shape = "structure"     // JSON, or a table
)

// answer is what a text holds.
type answer struct {
	entries   []entry
	shape     shape
	assistant string         // "Imported from: …"
	more      bool           // it says that more remain
	none      bool           // it says that there are no memories
	skipped   map[string]int // lines that are no entries, by reason
	announced bool           // a sentence before them says that they are what is remembered
	foreign   bool           // JSON as a whole, and no answer of an assistant
	isAnswer  bool           // JSON whose objects hold a statement, its date and its section, and nothing else
	brackets  int            // entries whose bracket is a date, or says that there is none
	proofs    int            // lines of evidence
}

// isStructured reports entries that nothing but such an answer has.
func (a answer) isStructured() bool {
	return a.announced && (a.shape == list || a.shape == numbered) && len(a.entries) > 1 || a.shape == marked || a.brackets >= 2 || a.brackets > 0 && a.brackets == len(a.entries) || a.proofs > 0
}

// entry is one statement.
type entry struct {
	text     string
	more     []string // lines of it below the first
	section  string
	date     date
	evidence []string
	stated   bool // marked as the person's own words
	indent   int
}

// line is a line of the text, and whether it stands inside a code block.
type line struct {
	text   string // without white space at its ends
	indent int
	inside bool
}

var (
	fence   = regexp.MustCompile("^\\s*(`{3,}|~{3,})\\s*([\\w-]*)\\s*$")
	bullet  = regexp.MustCompile(`^(?:[-*•·–+]|\d{1,4}[.)])\s+(.*)$`)
	digit   = regexp.MustCompile(`^(\d{1,4})[.)]\s+(.*)$`)
	bracket = regexp.MustCompile(`^\**\[([^\[\]]{1,24})\]\**(?:\s*[.:]?\s*[-–—:.]\s*|\s+|$)(.*)$`)
	bare    = regexp.MustCompile(`^(\d{4}-\d{2}(?:-\d{2})?)\s*(?:[:–—]|\s-\s)\s*(.+)$`)
	hash    = regexp.MustCompile(`^#{1,6}\s+(.{1,90}?)\s*#*$`)
	bold    = regexp.MustCompile(`^(?:\*\*|__)([^*_]{1,80}?):?(?:\*\*|__)\s*:?$`)
	colon   = regexp.MustCompile(`^((?:[^\s.!?:]+ ?){1,5}):$`)
	rule    = regexp.MustCompile("^(?:[-*_=]{3,}|[`~]{1,}|[][{}(),|:-]+)$") // or what is left of a structure
	inner   = regexp.MustCompile(`\[([^\[\]]{4,24})\]`)
	origin  = regexp.MustCompile(`(?i)^\**imported from\**\s*:\s*\**\s*(.{1,60}?)\**\.?$`)
	label   = regexp.MustCompile(`(?i)^\**(evidence|evidências?|evidencias?|belege?|preuves?|prov[ae]|根拠|证据|證據|근거)\**\s*[:：]\**`)
	quoted  = regexp.MustCompile(`["“”«»„「『]`)
)

// parse reads a text. It never fails: what is no entry is counted.
func parse(text string) answer {
	if values, cut, ok := wholeJSON(text); ok {
		return ofJSON(text, values, cut)
	}
	found, isAnswer, text := takeJSON(text)
	if len(found) == 0 {
		found, text = takeTables(text)
	}
	text, pieces := withoutJSON(text)
	lines, fenced := split(text)
	p := parser{lines: lines, fenced: fenced}
	p.skipped = map[string]int{}
	if pieces > 0 {
		p.skipped["not-an-entry"] = pieces
	}
	if p.shape = p.shapeOf(); len(found) > 0 {
		p.shape, p.entries, p.isAnswer = marked, found, isAnswer
		p.around()
		return p.answer
	}
	if p.shape == prose {
		p.paragraphs()
	} else {
		p.entriesOf()
		p.join()
	}
	return p.answer
}

// split makes lines, without fences: they only say what stands inside of one.
// Fences nest, and a block may lack its end: everything from the first fence to
// the last counts as inside, if there is more than one.
func split(text string) (lines []line, fenced bool) {
	text = strings.NewReplacer("\u00A0", " ", "\u202F", " ", "\u200B", "", "\u200E", "", "\uFEFF", "", "\t", "    ").Replace(text)
	open := 0
	for l := range strings.SplitSeq(text, "\n") {
		if m := fence.FindStringSubmatch(l); m != nil {
			fenced = true
			if len(m[1]) < open || open == 0 || m[2] != "" {
				open = max(open, len(m[1])) // the longest one counts
			} else {
				open = 0
			}
			continue
		}
		trimmed := strings.TrimSpace(l)
		lines = append(lines, line{trimmed, len(l) - len(strings.TrimLeft(l, " ")), open > 0})
	}
	return lines, fenced
}

type parser struct {
	answer
	lines   []line
	fenced  bool
	section string
	gap     bool // an empty line came before
}

// shapeOf decides by all lines: one dated line in prose is no list.
func (p *parser) shapeOf() shape {
	var brackets, counted, proofs, bullets, plain, long, headed int
	for i, l := range p.lines {
		if l.text == "" || p.fenced && !l.inside && !hasDate(l.text) && !bullet.MatchString(l.text) {
			continue
		}
		switch _, isHead := p.head(i); {
		case hasDate(l.text):
			brackets++
			if digit.MatchString(l.text) {
				counted++
			}
		case isProof(l):
			proofs++
		case isHead:
			headed++
		case bullet.MatchString(l.text):
			bullets++
		default:
			plain++
			if len(l.text) > 180 {
				long++
			}
		}
	}
	switch {
	case brackets > 0 && counted*2 > brackets && headed == 0:
		return numbered
	case brackets > 0 && brackets >= proofs:
		return dated
	case proofs > 0 && bullets > 0:
		return evidence
	case headed > 0 && plain > 0 && long > 0, long > 0 && long*2 >= plain:
		return prose
	}
	return list
}

// hasDate reports an entry that begins with a date, or with saying there is none.
func hasDate(text string) bool {
	if m := bullet.FindStringSubmatch(text); m != nil {
		text = m[1]
	}
	m := bracket.FindStringSubmatch(text)
	return m != nil && readDate(m[1]).isDate || bare.MatchString(text)
}

// isProof reports evidence: a nested bullet that names a date or quotes, or a
// line that calls itself so.
func isProof(l line) bool {
	body := l.text
	m := bullet.FindStringSubmatch(body)
	if m != nil {
		body = m[1]
	}
	if label.MatchString(body) {
		return true
	}
	if m == nil || l.indent < 2 {
		return false
	}
	in := inner.FindStringSubmatch(body)
	return in != nil && readDate(in[1]).isDate && (quoted.MatchString(body) || strings.ContainsAny(body, ":："))
}

// head is the name of a section, where line i is one. A numbered one is short,
// has no full stop, and entries that are written otherwise follow.
func (p *parser) head(i int) (string, bool) {
	l := p.lines[i]
	for _, form := range []*regexp.Regexp{hash, bold, colon} {
		if m := form.FindStringSubmatch(l.text); m != nil && l.indent < 4 && !hasDate(l.text) && !bulletOnly(l.text) && !closing.MatchString(l.text) {
			return nameOf(m[1]), true
		}
	}
	if p.isBareHead(i) {
		return nameOf(l.text), true
	}
	m := digit.FindStringSubmatch(l.text)
	if m == nil || l.indent > 0 || len(m[2]) > 60 || strings.HasSuffix(m[2], ".") || hasDate(l.text) {
		return "", false
	}
	next, ok := p.after(i)
	if !ok || digit.MatchString(next.text) && !hasDate(next.text) || isProof(next) {
		return "", false
	}
	if hasDate(next.text) || bullet.MatchString(next.text) {
		return nameOf(m[2]), true
	}
	return "", false
}

// words is a head without any mark.
var words = regexp.MustCompile(`^\pL[\pL&/,-]*(?: [\pL&/,-]+){0,4}$`)

// isBareHead reports a few words by themselves over a dated entry.
func (p *parser) isBareHead(i int) bool {
	if !words.MatchString(p.lines[i].text) || i > 0 && p.lines[i-1].text != "" {
		return false
	}
	next, ok := p.after(i)
	return ok && hasDate(next.text)
}

func bulletOnly(text string) bool {
	return bullet.MatchString(text) && !digit.MatchString(text)
}

// nameOf is a head without its number and its marks.
func nameOf(s string) string {
	s = strings.Trim(s, " *_:#")
	if m := digit.FindStringSubmatch(s); m != nil {
		s = m[2]
	}
	return strings.Trim(s, " *_:")
}

// after is the next line that is not empty.
func (p *parser) after(i int) (line, bool) {
	for _, l := range p.lines[i+1:] {
		if l.text != "" {
			return l, true
		}
	}
	return line{}, false
}

// around looks at the words around a structure, which are no entries.
func (p *parser) around() {
	for _, l := range p.lines {
		switch {
		case l.text == "", rule.MatchString(l.text):
		case origin.MatchString(l.text):
			p.assistant = origin.FindStringSubmatch(l.text)[1]
			p.aside(l.text, "closing")
		case !p.isWord(l, false):
			p.aside(l.text, "not-an-entry")
		}
	}
}

func (p *parser) entriesOf() {
	for i, l := range p.lines {
		if l.text == "" || rule.MatchString(l.text) {
			p.gap = true
			continue
		}
		if name, ok := p.head(i); ok {
			p.gap = true
			if len(p.entries) == 0 && announces.MatchString(name) { // it is about them all
				p.aside(l.text, "closing")
			} else {
				p.section = name
			}
			continue
		}
		p.take(l)
		p.gap = false
	}
}

// take decides what a line is: evidence, an entry, the rest of one, or a word
// around them.
func (p *parser) take(l line) {
	body, isBullet := l.text, false
	if m := bullet.FindStringSubmatch(body); m != nil {
		body, isBullet = strings.TrimSpace(m[1]), true
	}
	last := len(p.entries) - 1
	switch {
	case isProof(l) && last >= 0:
		p.prove(body)
	case hasDate(l.text):
		p.open(l, body)
	case last >= 0 && p.goesOn(l, isBullet):
		p.goOn(isBullet, body)
	case origin.MatchString(l.text):
		p.assistant = origin.FindStringSubmatch(l.text)[1]
		p.aside(l.text, "closing")
	case p.isNone(body), p.isWord(l, isBullet):
	default:
		p.open(l, body)
	}
}

// goesOn reports the rest of the entry above: further in, or right below it and
// begun as no sentence is.
func (p *parser) goesOn(l line, isBullet bool) bool {
	if p.gap {
		return false
	}
	if l.indent > p.entries[len(p.entries)-1].indent {
		return true
	}
	first, _ := utf8.DecodeRuneInString(l.text)
	return !isBullet && (p.shape == dated || p.shape == numbered) && unicode.IsLower(first)
}

// goOn adds a line to the entry above.
func (p *parser) goOn(isBullet bool, body string) {
	if isBullet {
		body = "- " + body
	}
	e := &p.entries[len(p.entries)-1]
	e.more = append(e.more, body)
}

// join makes one text of each entry.
func (p *parser) join() {
	for i := range p.entries {
		e := &p.entries[i]
		e.text, e.more = strings.Join(append([]string{e.text}, e.more...), "\n"), nil
	}
}

func (p *parser) prove(body string) {
	e := &p.entries[len(p.entries)-1]
	e.evidence = append(e.evidence, strings.TrimSpace(label.ReplaceAllString(body, "")))
	if in := inner.FindStringSubmatch(body); in != nil && e.date.at.IsZero() {
		e.date = readDate(in[1])
	}
	p.proofs++
}

func (p *parser) open(l line, body string) {
	e := entry{section: p.section, indent: l.indent}
	if m := bracket.FindStringSubmatch(body); m != nil {
		switch d := readDate(m[1]); {
		case d.isDate:
			e.date, body = d, m[2]
			p.brackets++
		case strings.EqualFold(m[1], "stated"), strings.EqualFold(m[1], "inferred"):
			e.stated, body = strings.EqualFold(m[1], "stated"), m[2]
		}
	} else if m := bare.FindStringSubmatch(body); m != nil {
		e.date, body = readDate(m[1]), m[2]
		p.brackets++
	}
	if e.text = strings.TrimSpace(body); e.text == "" {
		p.skip("empty")
		return
	}
	p.entries = append(p.entries, e)
}

func (p *parser) paragraphs() {
	var text []string
	flush := func() {
		if s := strings.Join(text, " "); s != "" && !p.isNone(s) && !p.isClosing(s) {
			p.entries = append(p.entries, entry{text: s, section: p.section})
		}
		text = nil
	}
	for i, l := range p.lines {
		name, isHead := p.head(i)
		m := bullet.FindStringSubmatch(l.text)
		switch {
		case l.text == "", rule.MatchString(l.text):
			flush()
		case isHead:
			flush()
			p.section = name
		case m != nil && l.indent < 2:
			flush()
			text = append(text, strings.TrimSpace(m[1]))
		default:
			text = append(text, l.text)
		}
	}
	flush()
}

func (p *parser) skip(reason string) { p.skipped[reason]++ }

// aside is a line that is no entry but may say something about them all.
func (p *parser) aside(text, reason string) {
	p.skip(reason)
	p.announced = p.announced || len(p.entries) == 0 && announces.MatchString(text)
	if saysMore(text) {
		p.more = true
	}
}
