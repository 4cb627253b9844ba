package extract

import (
	"embed"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"keepsake/backend/memory"
)

//go:embed rules/*.txt
var ruleFiles embed.FS

// languages are the rule files, in the order they are asked where a text is as
// much of one as of another.
var languages = [...]string{"en", "pt", "es", "de", "fr"}

// Reader holds the compiled rules. It may be used by several goroutines.
type Reader struct {
	languages []*language
}

// New compiles the rules.
func New() (*Reader, error) {
	r := &Reader{}
	for _, name := range languages {
		text, err := ruleFiles.ReadFile("rules/" + name + ".txt")
		if err != nil {
			return nil, err
		}
		l, err := parse(name, string(text))
		if err != nil {
			return nil, fmt.Errorf("rules/%s.txt: %w", name, err)
		}
		r.languages = append(r.languages, l)
	}
	return r, nil
}

// Finding is one sentence that may become a memory.
type Finding struct {
	Type       memory.Type
	Sentence   string  // as it stands in the text, without what leads up to it
	Start, End int     // of Sentence, in bytes of the text
	Rule       string  // language and name of the rule: "en/allergy"
	Language   string  // of the rule, as PAM §10 writes languages
	Confidence float64 // 0..1, how sure its author is of the rule; nobody measured it for one rule alone
}

// Flag marks a text that tries to command an assistant.
type Flag struct {
	Rule       string // "en/override"
	Start, End int    // of the words, in bytes of the text
}

// Read looks through what a person wrote. Where it flags something it finds
// nothing else.
func (r *Reader) Read(text string) ([]Finding, []Flag) {
	plain := normal(text)
	lower := strings.ToLower(plain)
	var flags []Flag
	for _, l := range r.languages {
		flags = append(flags, l.flagged(plain, lower)...)
	}
	if len(flags) > 0 {
		return nil, flags
	}
	own := ownWords(plain)
	order := r.order(own)
	var found []Finding
	for p := range pieces(own) {
		if f, ok := first(order, own, p); ok {
			f.Sentence = strings.TrimSpace(text[f.Start:f.End])
			found = append(found, f)
		}
	}
	// What speaks against a whole message is looked for last: most say nothing.
	if len(found) == 0 || isDialogue(own) || slices.ContainsFunc(order, func(l *language) bool { return matches(l.notMessage, own) }) {
		return nil, nil
	}
	return found, nil
}

// first is what the first language with a matching rule makes of a piece.
func first(order []*language, text string, p piece) (Finding, bool) {
	for _, l := range order {
		if f, ok := l.find(text, p); ok {
			return f, true
		}
	}
	return Finding{}, false
}

// order puts the languages whose small words are most frequent in the text
// first. All of them are asked: people mix languages.
func (r *Reader) order(text string) []*language {
	words := strings.FieldsFunc(strings.ToLower(text), notLetter)
	best, most := 0, 0
	for i, l := range r.languages {
		n := 0
		for _, w := range words {
			if l.small[w] {
				n++
			}
		}
		if n > most {
			best, most = i, n
		}
	}
	return slices.Concat(r.languages[best:best+1], r.languages[:best], r.languages[best+1:])
}

func matches(all []*regexp.Regexp, text string) bool {
	return slices.ContainsFunc(all, func(re *regexp.Regexp) bool { return re.MatchString(text) })
}
