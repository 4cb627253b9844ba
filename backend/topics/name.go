package topics

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Limits of a name.
const (
	mostWords    = 3    // of a name
	mostTelling  = 24   // words of a group that a name is chosen from
	shortestWord = 3    // letters
	longestWord  = 24   // letters; what is longer is rather a key or an address
	stemLetters  = 5    // words that begin with the same letters count as one
	leastTelling = 0.01 // of a word that others have as often: it is taken where there is no better
	sameCosine   = 0.55 // from here on, two words of a name would say the same, as "bike" and "vélo"
)

// aboutAnybody are words with which assistants begin what they keep about a person.
const aboutAnybody = " user users usuário usuária utilizador utilizadora usuario usuaria nutzer nutzerin nutzers utilisateur utilisatrice "

// Word is a word of a group, as the group writes it most often.
type Word struct {
	Text  string
	score float64 // how many texts of the group have it, and how many times more often than others
}

// Words returns for each group of texts the words that tell it from all other texts, the most
// telling first. others are texts of no group; isSmall tells words, in lower case, that stand in
// texts about anything.
func Words(groups [][]string, others []string, isSmall func(word string) bool) [][]Word {
	counted, everywhere, texts := make([]map[string]*stem, len(groups)), map[string]int{}, len(others)
	for i, group := range append(slices.Clone(groups), others) {
		stems := count(group, isSmall)
		for key, s := range stems {
			everywhere[key] += s.texts
		}
		if i < len(groups) {
			counted[i], texts = stems, texts+len(group)
		}
	}
	out := make([][]Word, len(groups))
	for i, stems := range counted {
		out[i] = telling(stems, len(groups[i]), everywhere, texts)
	}
	return out
}

// stem is the words of a group that begin alike.
type stem struct {
	texts int // that have it
	first int // its place among all words of the group
	forms []form
}

// form is how a word is written.
type form struct {
	text  string
	count int
}

// count counts the texts that have each stem.
func count(texts []string, isSmall func(string) bool) map[string]*stem {
	stems, place := map[string]*stem{}, 0
	for _, text := range texts {
		counted := map[string]bool{}
		for word := range wordsOf(text, isSmall) {
			key := stemOf(word)
			s := stems[key]
			if s == nil {
				s = &stem{first: place}
				stems[key] = s
			}
			s.write(word)
			if !counted[key] {
				counted[key] = true
				s.texts++
			}
			place++
		}
	}
	return stems
}

// wordsOf yields the words of a text that may stand in a name.
func wordsOf(text string, isSmall func(string) bool) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
			letters := utf8.RuneCountInString(word)
			lower := strings.ToLower(word)
			if letters < shortestWord || letters > longestWord || isSmall(lower) || strings.Contains(aboutAnybody, " "+lower+" ") {
				continue
			}
			if !yield(word) {
				return
			}
		}
	}
}

// stemOf returns the first letters of a word, without case and accents.
func stemOf(word string) string {
	plain := strings.Map(func(r rune) rune {
		if unicode.IsMark(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(word))
	letters := []rune(plain)
	return string(letters[:min(len(letters), stemLetters)])
}

func (s *stem) write(text string) {
	i := slices.IndexFunc(s.forms, func(f form) bool { return f.text == text })
	if i < 0 {
		i, s.forms = len(s.forms), append(s.forms, form{text: text})
	}
	s.forms[i].count++
}

// usual is the form that is written most often; of two, the one that does not begin a sentence.
func (s *stem) usual() string {
	return slices.MinFunc(s.forms, func(a, b form) int { return cmp.Or(b.count-a.count, strings.Compare(b.text, a.text)) }).text
}

// telling returns the words that tell a group of some size from all texts.
func telling(stems map[string]*stem, size int, everywhere map[string]int, texts int) []Word {
	words := make([]Word, 0, len(stems))
	for _, key := range slices.SortedFunc(maps.Keys(stems), func(a, b string) int { return stems[a].first - stems[b].first }) {
		inside, outside := float64(stems[key].texts), float64(everywhere[key]-stems[key].texts)
		ratio := (inside + 0.5) / float64(size+1) / ((outside + 0.5) / float64(texts-size+1))
		words = append(words, Word{stems[key].usual(), inside * max(math.Log(ratio), leastTelling)})
	}
	slices.SortStableFunc(words, func(a, b Word) int { return cmp.Compare(b.score, a.score) })
	return words[:min(len(words), mostTelling)]
}

// Name makes a name for group i of its telling words: of those that are near its center, by
// their vectors, and do not say the same twice. It is empty where there are no words.
func (g Groups) Name(i int, words []Word, vectors [][]float32) string {
	type candidate struct {
		Word
		vector []float32
	}
	var all []candidate
	for k, w := range words {
		v := centered(slices.Clone(vectors[k]), g.mean)
		all = append(all, candidate{Word{w.Text, w.score * max(0, float64(dot(v, g.All[i].center)))}, v})
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	var chosen []candidate
	var name []string
	for _, c := range all {
		says := func(other candidate) bool { return dot(c.vector, other.vector) >= sameCosine }
		if len(name) < mostWords && !slices.ContainsFunc(chosen, says) {
			chosen, name = append(chosen, c), append(name, c.Text)
		}
	}
	return strings.Join(name, ", ")
}
