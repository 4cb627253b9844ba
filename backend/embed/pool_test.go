package embed

import (
	"bytes"
	"context"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"

	"keepsake/backend/search"
	"keepsake/backend/vectors"
)

// pool is a collection of texts with the program's own indexes of their words and vectors.
type pool struct {
	texts   []string
	at      map[string]int // of a text
	words   *search.Index
	meaning *vectors.Index
}

func newPool(t *testing.T, v *embedded, texts []string) *pool {
	t.Helper()
	p := &pool{texts: texts, at: map[string]int{}, words: indexOf(t, texts)}
	var err error
	p.meaning, err = vectors.Open(inMemory{}, vectors.Options{Model: "test", Dimensions: Reduced, Mean: readMean(textMean)})
	if err != nil {
		t.Fatal(err)
	}
	var entries []vectors.Entry
	for i, text := range texts {
		p.at[text] = i
		unit := search.Unit{Kind: search.Memory, Seq: uint64(i)}
		entries = append(entries, vectors.Entry{Unit: unit, Vectors: []vectors.Vector{{Numbers: v.of[text]}}})
	}
	if err := p.meaning.Put(entries...); err != nil {
		t.Fatal(err)
	}
	return p
}

// nearest finds the n texts that are closest to a vector less a mean.
func (p *pool) nearest(t *testing.T, vector, mean []float32, n int) []vectors.Hit {
	t.Helper()
	hits, err := p.meaning.Nearest(vector, mean, n, nil)
	if err != nil {
		t.Fatal(err)
	}
	return hits
}

// cosines compares a vector less a mean with all texts.
func (p *pool) cosines(t *testing.T, vector, mean []float32) []float64 {
	t.Helper()
	out := make([]float64, len(p.texts))
	for _, hit := range p.nearest(t, vector, mean, len(p.texts)) {
		out[hit.Seq] = hit.Cosine
	}
	return out
}

// among compares a question with all texts, less the means of questions and of texts in general.
func (p *pool) among(t *testing.T, vector []float32) []float64 {
	t.Helper()
	hits, err := p.meaning.NearestAmong(vector, readMean(questionMean), len(p.texts), func(vectors.Ref) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	out := make([]float64, len(p.texts))
	for _, hit := range hits {
		out[hit.Seq] = hit.Cosine
	}
	return out
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

// withWords finds the texts that answer a query, the best first.
func (p *pool) withWords(t *testing.T, query string) []search.Hit {
	t.Helper()
	q, err := search.Parse(query)
	if err != nil {
		t.Fatalf("%q: %v", query, err)
	}
	found, err := p.words.Search(context.Background(), q, search.SearchOptions{Limit: len(p.texts)})
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
