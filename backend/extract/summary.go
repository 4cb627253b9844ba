package extract

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"
)

// Sentences of a summary, in words: what is shorter says little, what is longer
// is no sentence.
const (
	shortestSentence = 5
	longestSentence  = 40
)

// said is a sentence of several texts, with how much of what they are about is
// in it.
type said struct {
	text   string
	words  []string
	weight float64
}

// Summary picks the sentences that hold most of the words which texts share, at
// most so many, and gives them in the order they were said, with the language of
// most of the texts. It makes up no word; "" where there is nothing to pick.
func (r *Reader) Summary(texts []string, most int) (summary, language string) {
	var all []said
	often := map[string]int{}
	var own strings.Builder
	for _, text := range texts {
		plain := ownWords(normal(text))
		own.WriteString(plain + "\n")
		for s := range statements(text, plain) {
			for _, word := range s.words {
				often[word]++
			}
			all = append(all, s)
		}
	}
	for i := range all {
		for _, word := range all[i].words {
			all[i].weight += float64(often[word] - 1) // a word that stands here alone says nothing of the rest
		}
		all[i].weight /= float64(len(all[i].words))
	}
	best := make([]int, len(all))
	for i := range best {
		best[i] = i
	}
	slices.SortStableFunc(best, func(a, b int) int { return cmp.Compare(all[b].weight, all[a].weight) })
	var picked []int
	for _, i := range best {
		if len(picked) == most {
			break
		}
		if !slices.ContainsFunc(picked, func(j int) bool { return Similar(all[i].text, all[j].text) >= sameFrom }) {
			picked = append(picked, i)
		}
	}
	slices.Sort(picked)
	lines := make([]string, len(picked))
	for i, at := range picked {
		lines[i] = all[at].text
	}
	return strings.Join(lines, " "), r.order(own.String())[0].name
}

// sameFrom is the share of words from which a summary would say a thing twice.
const sameFrom = 0.6

// statements yields what is said in a text; plain is the same with what is not the
// person's own blanked.
func statements(text, plain string) iter.Seq[said] {
	return func(yield func(said) bool) {
		at := 0
		for line := range strings.SplitAfterSeq(plain, "\n") {
			for p := range sentencesOf(line, at) {
				s := strings.TrimSpace(text[p.start:p.end])
				words := slices.DeleteFunc(Words(plain[p.start:p.end]), func(w string) bool { return utf8.RuneCountInString(w) < 4 })
				n := len(strings.Fields(plain[p.start:p.end]))
				if n < shortestSentence || n > longestSentence || len(words) < 2 || strings.HasSuffix(s, "?") || strings.Contains(s, "`") {
					continue
				}
				if !yield(said{text: s, words: words}) {
					return
				}
			}
			at += len(line)
		}
	}
}
