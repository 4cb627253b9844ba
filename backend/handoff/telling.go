package handoff

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"keepsake/backend/memory"
)

// Figures are what it is weighed by how much a memory tells, each from 0 to 1.
type Figures struct {
	Importance float64 // as the person gave it
	Confidence float64 // today
	Specific   float64 // see Vocabulary
	Newness    float64 // see Newness
}

// UnsaidImportance stands for the importance of a memory that nobody gave one.
const UnsaidImportance = 0.5

// Telling is how much a memory tells, from 0 to 1. What the person said of it counts most.
func (f Figures) Telling() float64 {
	return 0.4*f.Importance + 0.2*f.Confidence + 0.3*f.Specific + 0.1*f.Newness
}

// Newness is 1 for what changed now and halves with every year.
func Newness(changed, now memory.Time) float64 {
	years := now.Sub(changed.Time).Hours() / (365.25 * 24)
	return math.Exp2(-max(years, 0))
}

// Rank says where a memory stands among those that may leave.
type Rank struct {
	Type    memory.Type
	Telling float64
	ID      string
}

// Order sorts what may leave. Within a group what tells more comes first; ids decide
// between equals, so that the same memories always give the same text. The groups take
// turns: the first of each, the second of each, and so on, so that a short text has
// something of all of them.
func Order[T any](all []T, rank func(T) Rank) {
	type placed struct {
		telling float64
		id      string
		value   T
	}
	inGroup := make([][]placed, len(groups))
	for _, x := range all {
		r := rank(x)
		group := sectionOf(groups, r.Type)
		inGroup[group] = append(inGroup[group], placed{r.Telling, r.ID, x})
	}
	for _, group := range inGroup {
		slices.SortFunc(group, func(a, b placed) int {
			return cmp.Or(cmp.Compare(b.telling, a.telling), strings.Compare(a.id, b.id))
		})
	}
	for n, turn := 0, 0; n < len(all); turn++ {
		for _, group := range inGroup {
			if turn < len(group) {
				all[n] = group[turn].value
				n++
			}
		}
	}
}

// Vocabulary counts in how many texts each word stands. The zero value is empty.
type Vocabulary struct {
	ids   map[string]uint32
	in    []uint32 // number of texts, by id of a word
	texts int
}

// Words are the words of one text of a Vocabulary, each once.
type Words []uint32

const (
	telling   = 1 << 31 // marks a word of Words as a name or a number
	mostWords = 64      // of a text that count
)

// Add counts the words of a text.
func (v *Vocabulary) Add(text string) Words {
	if v.ids == nil {
		v.ids = map[string]uint32{}
	}
	v.texts++
	var words Words
	for word, name := range wordsOf(text) {
		folded := strings.ToLower(word)
		id, known := v.ids[folded]
		if !known {
			id = uint32(len(v.in))
			v.ids[folded], v.in = id, append(v.in, 0)
		}
		if slices.Contains(words, id) || slices.Contains(words, id|telling) {
			continue
		}
		v.in[id]++
		if name {
			id |= telling
		}
		if words = append(words, id); len(words) == mostWords {
			break
		}
	}
	return slices.Clip(words)
}

// tellingWords is how many words of a text decide how specific it is: a long text is no more
// specific than a short one with the same rare words.
const tellingWords = 4

// Specific is how specific words are, from 0 to 1: how rare the rarest of them are among the
// texts (inverse document frequency, 1 for a word of one text); a name or a number counts
// twice.
func (v *Vocabulary) Specific(words Words) float64 {
	var rarest [tellingWords]float64 // in falling order
	for _, id := range words {
		rare := idf(v.texts, int(v.in[id&^telling])) / idf(v.texts, 1)
		if id&telling != 0 {
			rare *= 2
		}
		for i := range rarest {
			if rare > rarest[i] {
				rare, rarest[i] = rarest[i], rare
			}
		}
	}
	sum := 0.0
	for _, rare := range rarest {
		sum += rare
	}
	return sum / (2 * tellingWords)
}

// idf is that of BM25.
func idf(texts, with int) float64 {
	return math.Log(1 + (float64(texts)-float64(with)+0.5)/(float64(with)+0.5))
}

// wordsOf gives the words of a text, and whether each is a number or has a capital where no
// sentence begins. A sign of Chinese or Japanese is a word.
func wordsOf(text string) func(yield func(string, bool) bool) {
	return func(yield func(string, bool) bool) {
		start, begins := -1, true
		word := func(end int) bool {
			if start < 0 {
				return true
			}
			w := text[start:end]
			name := !begins && unicode.IsUpper(firstRune(w)) || strings.ContainsFunc(w, unicode.IsDigit)
			start, begins = -1, false
			return yield(w, name)
		}
		for i, r := range text {
			alone := unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
			inWord := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
			if (!inWord || alone) && !word(i) {
				return
			}
			switch {
			case alone:
				if !yield(string(r), false) {
					return
				}
			case inWord && start < 0:
				start = i
			case strings.ContainsRune(endMarks+":", r):
				begins = true
			}
		}
		word(len(text))
	}
}
