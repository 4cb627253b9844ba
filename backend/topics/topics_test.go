package topics_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"keepsake/backend/embed"
	"keepsake/backend/language"
	"keepsake/backend/topics"
)

// subjects reads a labelled set: the subject of each text, "-" for none, and the texts.
func subjects(t *testing.T, name string) (labels, texts []string) {
	t.Helper()
	set, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(set)) {
		label, text, _ := strings.Cut(strings.TrimSpace(line), "\t")
		labels, texts = append(labels, label), append(texts, text)
	}
	return labels, texts
}

// embedded is a collection of texts, with their vectors.
func embedded(t *testing.T, e *embed.Encoder, texts []string) topics.Collection {
	t.Helper()
	vectors, err := e.Embed(context.Background(), texts)
	if err != nil {
		t.Skip("sh scripts/model.sh fetches the language model: ", err)
	}
	return collection(vectors, e.Mean())
}

func collection(vectors [][]float32, mean []float32) topics.Collection {
	return topics.Collection{Count: len(vectors), Read: func(i int, into []float32) { copy(into, vectors[i]) }, Mean: mean}
}

// names names all groups, as package meaning does.
func names(t *testing.T, e *embed.Encoder, g topics.Groups, texts []string) (out []string) {
	t.Helper()
	var groups [][]string
	in := map[int]bool{}
	for _, group := range g.All {
		var own []string
		for _, i := range group.Members {
			in[i], own = true, append(own, texts[i])
		}
		groups = append(groups, own)
	}
	var others []string
	for i, text := range texts {
		if !in[i] {
			others = append(others, text)
		}
	}
	for i, words := range topics.Words(groups, others, language.New().IsSmall) {
		var spelled []string
		for _, w := range words {
			spelled = append(spelled, w.Text)
		}
		vectors, err := e.Embed(context.Background(), spelled)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, g.Name(i, words, vectors))
	}
	return out
}

// TestSubjects: memories about five evident subjects, in two languages, are grouped by them.
// docs/embeddings.md has the figures.
func TestSubjects(t *testing.T) {
	e := &embed.Encoder{}
	for set, floor := range map[string]struct{ purity, grouped float64 }{
		"subjects-tune.txt":   {0.9, 0.85},
		"subjects-unseen.txt": {0.9, 0.85},
	} {
		labels, texts := subjects(t, set)
		c := embedded(t, e, texts)
		g := topics.Find(c)
		purity, grouped, strangers := agreement(g, labels)
		said := names(t, e, g, texts)
		for i, group := range g.All {
			fmt.Printf("%s: %d %s\n", set, len(group.Members), said[i])
		}
		fmt.Printf("%s: %d groups, purity %.2f, %.2f of the memories with a subject, and %d of 6 others\n", set, len(g.All), purity, grouped, strangers)
		if purity < floor.purity || grouped < floor.grouped || len(g.All) > 10 {
			t.Errorf("%s: purity %.2f, grouped %.2f, %d groups", set, purity, grouped, len(g.All))
		}
		if again := topics.Find(c); !reflect.DeepEqual(g, again) {
			t.Error("the same vectors make other groups")
		}
		for i, name := range said {
			checkName(t, name, g.All[i], texts)
		}
	}
}

// agreement tells the share of grouped memories whose label is the most frequent of their group,
// the share of labelled memories that are grouped, and how many without a label are.
func agreement(g topics.Groups, labels []string) (purity, grouped float64, strangers int) {
	right, all, labelled := 0, 0, 0
	for _, label := range labels {
		if label != "-" {
			labelled++
		}
	}
	for _, group := range g.All {
		counts, most := map[string]int{}, 0
		for _, i := range group.Members {
			if labels[i] == "-" {
				strangers++
				continue
			}
			counts[labels[i]]++
			most = max(most, counts[labels[i]])
			all++
		}
		right += most
	}
	return float64(right) / float64(all), float64(all) / float64(labelled), strangers
}

// checkName: every word of a name stands in the texts of its group, as it is written there.
func checkName(t *testing.T, name string, group topics.Group, texts []string) {
	t.Helper()
	words := strings.Split(name, ", ")
	if len(words) < 2 || len(words) > 3 {
		t.Errorf("%q", name)
	}
	for _, word := range words {
		if !slices.ContainsFunc(group.Members, func(i int) bool { return strings.Contains(texts[i], word) }) {
			t.Errorf("%q of %q stands in no text", word, name)
		}
	}
}

func TestFewTexts(t *testing.T) {
	e := &embed.Encoder{}
	running := []string{"Runs ten kilometres three times a week.", "Trains for a half marathon.", "Corre no parque antes do trabalho.", "Wears trail running shoes.", "Ran a marathon in May."}
	for n, want := range map[int]int{0: 0, 1: 0, 2: 0, 5: 1} {
		if g := topics.Find(embedded(t, e, running[:n])); len(g.All) != want {
			t.Errorf("%d texts about the same: %d groups", n, len(g.All))
		}
	}
	dogs := []string{"Adopted a greyhound in 2022.", "I have a dog, a greyhound.", "The greyhound gets dry food twice a day."}
	mixed := append(slices.Clone(dogs), "Works as a nurse in a children's hospital.", "Saves 20,000 euros for a new roof.", "Saves 35,000 euros for a new roof.")
	if g := topics.Find(embedded(t, e, mixed)); len(g.All) != 1 || len(g.All[0].Members) != len(dogs) || slices.Max(g.All[0].Members) >= len(dogs) {
		t.Errorf("three memories of a dog among six: %+v", g.All)
	}
	apart := []string{"Was born in 1987.", "Prefers Go to Rust.", "Tem um gato.", "The roof leaks.", "Wants to see Japan."}
	if g := topics.Find(embedded(t, e, apart)); len(g.All) != 0 {
		t.Errorf("%d groups of texts that have nothing in common", len(g.All))
	}
}

func TestNamesWithoutWords(t *testing.T) {
	same := [][]float32{{1, 0}, {1, 0}, {1, 0}}
	g := topics.Find(collection(same, []float32{0, 0.1}))
	if len(g.All) != 1 {
		t.Fatalf("%d groups", len(g.All))
	}
	for _, texts := range [][]string{{"", "12", "the"}, {"a.b", "x", "User"}} {
		words := topics.Words([][]string{texts}, nil, language.New().IsSmall)
		if name := g.Name(0, words[0], nil); name != "" {
			t.Errorf("%q of %q", name, texts)
		}
	}
}

// TestLargeCollections: of planted groups among 20,000 and 100,000 vectors each is found whole.
func TestLargeCollections(t *testing.T) {
	if testing.Short() {
		t.Skip("groups 120,000 vectors")
	}
	for _, n := range []int{20_000, 100_000} {
		c, of := planted(n)
		began := time.Now()
		g := topics.Find(c)
		fmt.Printf("%d vectors: %d groups in %v\n", n, len(g.All), time.Since(began).Round(time.Millisecond))
		if len(g.All) != plantedGroups {
			t.Errorf("%d vectors: %d groups", n, len(g.All))
		}
		for _, group := range g.All {
			if slices.ContainsFunc(group.Members, func(i int) bool { return of(i) != of(group.Members[0]) }) || len(group.Members) < n/plantedGroups*9/10 {
				t.Errorf("a group of %d is mixed or too small", len(group.Members))
			}
		}
	}
}

const plantedGroups = 25

// planted is random vectors of 256 numbers that are large in 10 of them, by their group.
func planted(n int) (c topics.Collection, of func(int) int) {
	r := rand.New(rand.NewPCG(1, 2))
	var vectors [][]float32
	var places []int
	for i := range n {
		places = append(places, r.IntN(plantedGroups))
		v := make([]float32, 256)
		for k := range v {
			v[k] = float32(r.NormFloat64()) / 16
			if k/10 == places[i] {
				v[k] += 0.3
			}
		}
		vectors = append(vectors, v)
	}
	return collection(vectors, make([]float32, 256)), func(i int) int { return places[i] }
}
