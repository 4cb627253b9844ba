package search_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"keepsake/backend/search"
)

// TestATermIsOneLineOfTheCache: a field more, and most words cost twice the wait.
func TestATermIsOneLineOfTheCache(t *testing.T) {
	if search.TermSize != 64 {
		t.Errorf("%d bytes", search.TermSize)
	}
}

// TestTermsAreInOrder has many terms that begin alike, for eight bytes, for
// sixteen, and for more.
func TestTermsAreInOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 9))
	var texts []string
	want := map[string]bool{}
	for range 3000 {
		word := strings.Repeat("k", []int{0, 1, 6, 7, 8, 9, 15, 16, 17, 30}[rng.IntN(10)])
		for range 1 + rng.IntN(4) {
			word += []string{"a", "b", "z", "0", "é", "я", "한", "𐌰"}[rng.IntN(8)]
		}
		texts = append(texts, word)
		for _, w := range search.Words(word) {
			want[w.Term] = true
		}
	}
	got := search.NewLive(texts...).Terms()
	if !slices.IsSorted(got) || len(got) != len(want) {
		t.Errorf("%d terms of %d, in order: %v", len(got), len(want), slices.IsSorted(got))
	}
	for _, term := range got {
		if !want[term] {
			t.Errorf("%q is no word", term)
		}
	}
	if got := search.NewLive().Terms(); len(got) > 0 {
		t.Errorf("nothing has the terms %q", got)
	}
}

// TestPostingsOfALiveSegment: whatever is still in its row, in a chunk, or in
// many.
func TestPostingsOfALiveSegment(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	words := []string{"often", "seldom", "once", "extraordinarilylong", "二字"}
	chance := []int{1, 40, 0, 3, 2}
	docs, tfs := make([][]uint32, len(words)), make([][]uint32, len(words))
	var texts []string
	for doc := range uint32(20_000) {
		text := ""
		for i, word := range words {
			if i == 2 && doc != 7777 || i != 2 && rng.IntN(chance[i]) > 0 {
				continue
			}
			tf := 1
			if rng.IntN(4) == 0 {
				tf += rng.IntN(300)
			}
			text += strings.Repeat(word+" ", tf)
			docs[i], tfs[i] = append(docs[i], doc), append(tfs[i], uint32(tf))
		}
		texts = append(texts, text)
	}
	live := search.NewLive(texts...)
	for i, word := range words {
		gotDocs, gotTfs, err := live.Postings(word)
		if err != nil || !slices.Equal(gotDocs, docs[i]) || !slices.Equal(gotTfs, tfs[i]) {
			t.Errorf("%q: %d documents for %d, %v", word, len(gotDocs), len(docs[i]), err)
		}
	}
}
