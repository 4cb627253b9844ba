package embed

import (
	"bytes"
	"context"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/viterin/vek/vek32"

	"keepsake/backend/search"
)

// pool is a collection of texts with an index of their words, and with their vectors as they
// are stored and as the model gives them.
type pool struct {
	model         *Model
	texts         []string
	at            map[string]int // of a text
	index         *search.Index
	stored, whole centred
}

func newPool(t *testing.T, v *vectors, texts []string) *pool {
	t.Helper()
	p := &pool{model: v.model, texts: texts, at: map[string]int{}, index: indexOf(t, texts)}
	var whole, reduced [][]float32
	for i, text := range texts {
		p.at[text] = i
		whole = append(whole, v.of[text])
		reduced = append(reduced, v.model.Reduce(v.of[text]))
	}
	p.whole, p.stored = centre(whole), centre(reduced)
	for _, vector := range p.stored.vectors {
		roundTo8Bits(vector)
	}
	return p
}

// centred are vectors of length 1 from which the mean of all was subtracted.
type centred struct {
	mean    []float32
	vectors [][]float32
}

func centre(vectors [][]float32) centred {
	c := centred{mean: make([]float32, len(vectors[0]))}
	for _, vector := range vectors {
		vek32.Add_Inplace(c.mean, vector)
	}
	vek32.DivNumber_Inplace(c.mean, float32(len(vectors)))
	for _, vector := range vectors {
		c.vectors = append(c.vectors, c.without(vector))
	}
	return c
}

func (c centred) without(vector []float32) []float32 {
	out := vek32.Sub(vector, c.mean)
	vek32.DivNumber_Inplace(out, vek32.Norm(out))
	return out
}

func (c centred) cosines(query []float32) []float64 {
	query = c.without(query)
	out := make([]float64, len(c.vectors))
	for i, vector := range c.vectors {
		out[i] = float64(vek32.Dot(vector, query))
	}
	return out
}

// roundTo8Bits makes of a vector what is left of it when each number is stored in a signed
// byte and one scale for all of them beside it.
func roundTo8Bits(vector []float32) {
	scale := max(vek32.Max(vector), -vek32.Min(vector)) / 127
	for i, v := range vector {
		vector[i] = float32(math.Round(float64(v/scale))) * scale
	}
}

func indexOf(t *testing.T, texts []string) *search.Index {
	t.Helper()
	index, err := search.Open(context.Background(), inMemory{}, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	units := make([]search.Unit, len(texts))
	for i := range units {
		units[i] = search.Unit{Kind: search.Memory, Seq: uint64(i), Mark: 1}
	}
	for _, u := range index.Sync(slices.Values(units)) {
		if err := index.Put(u, slices.Values([]search.Doc{{Text: texts[u.Seq]}})); err != nil {
			t.Fatal(err)
		}
	}
	return index
}

// words finds the texts that answer a query, the best first.
func (p *pool) words(t *testing.T, query string) []search.Hit {
	t.Helper()
	q, err := search.Parse(query)
	if err != nil {
		t.Fatalf("%q: %v", query, err)
	}
	found, err := p.index.Search(context.Background(), q, search.SearchOptions{Limit: len(p.texts)})
	if err != nil {
		t.Fatal(err)
	}
	return found.Hits
}

// inMemory is a store of an index.
type inMemory map[string][]byte

func (s inMemory) View(f func(search.Tx) error) error   { return f(s) }
func (s inMemory) Update(f func(search.Tx) error) error { return f(s) }

func (s inMemory) Get(key []byte) ([]byte, error) { return bytes.Clone(s[string(key)]), nil }

func (s inMemory) Put(key, block []byte) error {
	s[string(key)] = bytes.Clone(block)
	return nil
}

func (s inMemory) Delete(key []byte) error {
	delete(s, string(key))
	return nil
}

func (s inMemory) Keys(prefix []byte) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, key := range slices.Sorted(maps.Keys(s)) {
			if strings.HasPrefix(key, string(prefix)) && !yield([]byte(key), nil) {
				return
			}
		}
	}
}
