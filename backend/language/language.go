// Package language tells in which language a text is written, where that is sure,
// as PAM §10 writes languages (BCP 47). It knows thirteen; a text that is short,
// mixed, code or of any other language has none. Some scripts say it by
// themselves, the others by small words, which nearly every sentence has.
package language

import (
	_ "embed"
	"math"
	"slices"
	"strings"
	"unicode"
)

//go:embed words.txt
var wordLists string

// Reader tells languages. New makes one; it is safe for concurrent use.
type Reader struct {
	all     []tongue
	of      map[string][]int // a small word → the languages that have it, in all
	letters map[rune]uint64  // a letter beside a to z → the same, one bit each
}

// tongue is one language that is told by its small words.
type tongue struct {
	tag  string
	told bool // false: it is only there not to be taken for another
}

// New reads the lists of words.
func New() *Reader {
	r := &Reader{of: map[string][]int{}, letters: map[rune]uint64{}}
	for line := range strings.Lines(wordLists) {
		fields := strings.Fields(line)
		if len(fields) < 3 || fields[0] == "#" {
			continue
		}
		tag, hidden := strings.CutPrefix(fields[0], "-")
		i := len(r.all)
		for _, letter := range fields[1] {
			r.letters[letter] |= 1 << i
		}
		for _, word := range fields[2:] {
			if !slices.Contains(r.of[word], i) {
				r.of[word] = append(r.of[word], i)
			}
		}
		r.all = append(r.all, tongue{tag, !hidden})
	}
	return r
}

// IsSmall tells whether a word, in lower case, is a small word of any language.
func (r *Reader) IsSmall(word string) bool { return len(r.of[word]) > 0 }

// What a text must have before it is judged, and how clear the judgement must be.
const (
	longest = 4096 // bytes of a text that are looked at

	leastLetters = 12  // of a script of letters
	leastSigns   = 6   // of one of syllables or words
	purity       = 0.9 // share of the letters that are of one script

	leastWords = 3   // different small words of the language
	leastScore = 1.2 // see judge
	distance   = 1.8 // how many times the next language's score
)

// Of returns the tag of the language of a text, "" where it is not sure.
func (r *Reader) Of(text string) string {
	text = strings.ToLower(prose(strings.ToValidUTF8(text[:min(len(text), longest)], "")))
	c := count(text)
	switch most := purity * float64(c.all); {
	case float64(c.latin) >= most && c.latin >= leastLetters, float64(c.cyrillic) >= most && c.cyrillic >= leastLetters:
		return r.judge(text)
	case float64(c.greek) >= most && c.greek >= leastLetters && !c.polytonic:
		return "el"
	case float64(c.hangul) >= most && c.hangul >= leastSigns:
		return "ko"
	case float64(c.kana+c.han) >= most && c.kana >= 3 && c.kana+c.han >= leastSigns:
		return "ja"
	case float64(c.han) >= most && c.han >= leastSigns:
		return chinese(text)
	}
	return ""
}

// prose is a text without what is no sentence: addresses, and words with digits
// or signs in them, as names in code are.
func prose(text string) string {
	var kept []string
	for _, word := range strings.Fields(text) {
		if !strings.ContainsAny(word, "/\\@_=<>{}[]#$|~`0123456789") {
			kept = append(kept, word)
		}
	}
	return strings.Join(kept, " ")
}

// counts is how many letters of which script a text has.
type counts struct {
	all, latin, cyrillic, greek, hangul, kana, han int
	polytonic                                      bool // Greek of before 1982
}

func count(text string) (c counts) {
	for _, letter := range text {
		if !unicode.IsLetter(letter) {
			continue
		}
		c.all++
		switch {
		case unicode.Is(unicode.Latin, letter):
			c.latin++
		case unicode.Is(unicode.Cyrillic, letter):
			c.cyrillic++
		case unicode.Is(unicode.Greek, letter):
			c.greek++
			c.polytonic = c.polytonic || letter >= 0x1f00
		case unicode.Is(unicode.Hangul, letter):
			c.hangul++
		case unicode.In(letter, unicode.Hiragana, unicode.Katakana), letter == 'ー':
			c.kana++
		case unicode.Is(unicode.Han, letter):
			c.han++
		}
	}
	return c
}

// chinese tells Mandarin from other languages that are written with the same signs.
func chinese(text string) string {
	if strings.ContainsAny(text, "嘅喺唔咗係哋冇佢") { // Cantonese
		return ""
	}
	found := 0
	for _, sign := range "的是我了在不有这這和他她们們" {
		if strings.ContainsRune(text, sign) {
			found++
		}
	}
	if found < 2 {
		return ""
	}
	return "zh"
}

// judge returns the tag of the language whose score is clearly the highest, "" if none is.
func (r *Reader) judge(text string) string {
	scores, words := r.scores(text)
	best := 0
	for i := range scores {
		if scores[i] > scores[best] {
			best = i
		}
	}
	for i, score := range scores {
		if i != best && (score*distance > scores[best] || words[i] > words[best]) {
			return ""
		}
	}
	if !r.all[best].told || words[best] < leastWords || scores[best] < leastScore {
		return ""
	}
	return r.all[best].tag
}

// Likely returns those of some languages that a text is likeliest in, by the same words as Of:
// one, or several where they are as likely. It says nothing of how sure that is.
func (r *Reader) Likely(text string, of []string) (likely []string) {
	scores, _ := r.scores(strings.ToLower(prose(strings.ToValidUTF8(text[:min(len(text), longest)], ""))))
	best := math.Inf(-1)
	for i, score := range scores {
		if !slices.Contains(of, r.all[i].tag) || score < best {
			continue
		}
		if score > best {
			best, likely = score, nil
		}
		likely = append(likely, r.all[i].tag)
	}
	return likely
}

// scores weighs small words: each counts once for every language that has it, the less the
// more languages do. A word with a letter that a language does not have counts against it. It
// returns the score of each language, and how many of its small words the text has.
func (r *Reader) scores(text string) ([]float64, []int) {
	scores, words := make([]float64, len(r.all)), make([]int, len(r.all))
	seen := map[string]bool{}
	for word := range strings.FieldsFuncSeq(text, func(c rune) bool { return !unicode.IsLetter(c) && c != '·' }) {
		if seen[word] {
			continue
		}
		seen[word] = true
		if can := r.spellers(word); can != everybody {
			for i := range r.all {
				if can>>i&1 == 0 {
					scores[i] -= 0.5
				}
			}
		}
		for _, i := range r.of[word] {
			scores[i] += 1 / float64(len(r.of[word]))
			words[i]++
		}
	}
	return scores, words
}

// everybody is all languages, one bit each.
const everybody = ^uint64(0)

// spellers are the languages that have every letter of a word.
func (r *Reader) spellers(word string) uint64 {
	can := everybody
	for _, letter := range word {
		if letter < 'a' || letter > 'z' {
			can &= r.letters[letter]
		}
	}
	return can
}
