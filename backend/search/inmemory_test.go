package search_test

import (
	"fmt"
	"slices"
	"testing"

	"keepsake/backend/search"
)

// TestInMemory: an index in memory gives the hits and scores of a stored one, where scores tell of no
// other records; and the affirmed query finds all of them, also what q excludes.
func TestInMemory(t *testing.T) {
	stored, err := search.Open(t.Context(), newStore(), search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{"green tea and jasmine", "black tea", "coffee, no tea", "a teapot and a cup", "nothing of it"}
	mine := search.InMemory(nil)
	for i := range 200 {
		unit := search.Unit{Kind: search.Memory, Seq: uint64(i), Mark: 1}
		text := fmt.Sprint("another tea, number ", i)
		if i < len(texts) {
			text = texts[i]
		}
		docs := []search.Doc{{Time: int64(i + 1), Text: text}}
		if err := stored.Put(unit, slices.Values(docs)); err != nil {
			t.Fatal(err)
		}
		if i < len(texts) {
			if err := mine.Put(unit, slices.Values(docs)); err != nil {
				t.Fatal(err)
			}
		}
	}
	stored.Sync(func(yield func(search.Unit) bool) {
		for i := range 200 {
			if !yield(search.Unit{Kind: search.Memory, Seq: uint64(i), Mark: 1}) {
				return
			}
		}
	})
	opt := search.SearchOptions{Accept: func(_ search.Kind, seq uint64) bool { return seq < uint64(len(texts)) }}
	find := func(ix *search.Index, q search.Query) []search.Hit {
		found, err := ix.Search(t.Context(), q, opt)
		if err != nil {
			t.Fatal(err)
		}
		return found.Hits
	}
	for typed, most := range map[string]int{
		"tea": 3, "te*": 4, `"green tea"`: 1, "tea -coffee": 3, "tea NOT (green OR coffee)": 3, "NOT tea": 5, "coffee OR NOT tea": 5, "NOT (tea NOT black)": 5, "(tea OR cup) -green": 4,
	} {
		q, err := search.Parse(typed)
		if err != nil {
			t.Fatal(err)
		}
		hits := find(stored, q)
		if got := find(mine, q); !slices.Equal(got, hits) || len(hits) == 0 {
			t.Errorf("%s: %v, not %v", typed, got, hits)
		}
		affirmed := find(stored, q.Affirmed())
		if len(affirmed) != most {
			t.Errorf("%s, affirmed: %v", typed, affirmed)
		}
		for _, h := range hits {
			if !slices.ContainsFunc(affirmed, func(a search.Hit) bool { return a.Seq == h.Seq }) {
				t.Errorf("%s, affirmed, does not find %d", typed, h.Seq)
			}
		}
	}
}
