package chapters

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"

	"keepsake/backend/memory"
)

// Of returns the chapter of a memory.
func Of(r memory.Record) Chapter {
	if said, ok := r.Metadata[memory.ChapterKey].(string); ok {
		if c, known := Named(said); known {
			return c
		}
	}
	from, decided := ofType(r.Type)
	if decided {
		return from
	}
	points := pointsOf(r.Content[:min(len(r.Content), longest)] + " " + strings.Join(r.Tags, " "))
	if domain, ok := r.Metadata["domain"].(string); ok {
		if c, known := domains[strings.ToLower(domain)]; known {
			points[c] += domainPoints
		}
	}
	points[You] *= weakPoints
	if r.Type == memory.Preference {
		points[Answers] *= strongPoints
	}
	best, most := from, startPoints(r.Type)
	for c, n := range points {
		if n > most {
			best, most = Chapter(c), n
		}
	}
	return best
}

// longest is how many bytes of a content are looked at: what a long one is about stands at its
// beginning.
const longest = 2000

// What counts for a chapter, in words of the list that a text has.
const (
	domainPoints = 2.0 // of metadata.domain, which names the area of life
	typePoints   = 1.0 // of a type that says much: one word for another chapter is too few
	guessPoints  = 0.5 // of a type that says little: one word decides
	weakPoints   = 0.9 // of a word for You: who is called something may be somebody else
	strongPoints = 1.5 // of a word for Answers in a preference: few preferences speak of answers otherwise
)

// ofType returns the chapter of a type, and whether nothing else decides.
func ofType(t memory.Type) (c Chapter, decided bool) {
	switch t {
	case memory.Relationship:
		return People, true
	case memory.Goal:
		return Goals, true
	case memory.Instruction:
		return Answers, true
	case memory.Project:
		return Projects, true
	case memory.Preference:
		return Tastes, false
	case memory.Environment:
		return Tools, false
	case memory.Skill:
		return Work, false
	}
	return You, false
}

func startPoints(t memory.Type) float64 {
	if t == memory.Preference || t == memory.Environment || t == memory.Identity {
		return typePoints
	}
	return guessPoints
}

// domains are the usual values of metadata.domain.
var domains = map[string]Chapter{
	"work": Work, "professional": Work, "career": Work, "business": Work, "education": Work,
	"health": Health, "medical": Health, "fitness": Health, "wellness": Health,
	"home": Home, "housing": Home, "household": Home,
	"family": People, "relationships": People, "social": People,
	"technical": Tools, "technology": Tools, "tech": Tools, "software": Tools, "programming": Tools,
	"hobbies": Tastes, "entertainment": Tastes, "food": Tastes, "travel": Tastes, "music": Tastes,
}

//go:embed words.txt
var wordList string

// lexicon holds the words of each chapter, and beginnings of words.
type lexicon struct{ whole, begins map[string]Chapter }

// words reads the list once: it is part of the program.
var words = sync.OnceValue(func() lexicon {
	l := lexicon{map[string]Chapter{}, map[string]Chapter{}}
	var of Chapter
	for line := range strings.Lines(wordList) {
		line = strings.TrimSpace(line)
		if heading, ok := strings.CutPrefix(line, "["); ok {
			of, _ = Named(strings.TrimSuffix(heading, "]"))
			continue
		}
		for word := range strings.FieldsSeq(line) {
			if begin, open := strings.CutSuffix(word, "*"); open {
				l.begins[begin] = of
			} else {
				l.whole[word] = of
			}
		}
	}
	return l
})

// Lengths of the beginnings in words.txt, in bytes.
const (
	shortest     = 4
	longestBegin = 14
)

func (l lexicon) chapterOf(word string) (Chapter, bool) {
	if c, ok := l.whole[word]; ok {
		return c, true
	}
	for n := min(len(word), longestBegin); n >= shortest; n-- {
		if c, ok := l.begins[word[:n]]; ok {
			return c, true
		}
	}
	return 0, false
}

// pointsOf counts, for each chapter, the different words of a text that speak for it.
func pointsOf(text string) (points [count]float64) {
	counted := map[string]bool{}
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
		if counted[word] {
			continue
		}
		if c, ok := words().chapterOf(word); ok {
			points[c]++
			counted[word] = true
		}
	}
	return points
}
