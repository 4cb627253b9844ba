package vectors_test

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"keepsake/backend/vectors"
)

// TestAmong: what is nearest among some vectors, and the pairs of them, are those of the plain
// computation less Options.Mean, and do not change when others come.
func TestAmong(t *testing.T) {
	const size = 64
	r := rand.New(rand.NewPCG(3, 4))
	mean := make([]float32, size)
	own := make([]float64, size)
	for i := range mean {
		mean[i] = float32(r.NormFloat64() / 30)
		own[i] = float64(mean[i])
	}
	ix := open(t, memStore{}, vectors.Options{Model: "test", Dimensions: size, Mean: mean})
	var all [][]float32
	for seq := range 120 {
		all = append(all, random(r, size))
		put(t, ix, memory(uint64(seq)), all[seq])
	}
	question := random(r, size)
	asked := func(ref vectors.Ref) bool { return ref.Seq < 100 }
	answers := func() ([]vectors.Hit, []vectors.Pair) {
		hits, err := ix.NearestAmong(question, nil, 20, asked)
		if err != nil {
			t.Fatal(err)
		}
		pairs, err := ix.PairsAmong(t.Context(), 0.3, 50, asked)
		if err != nil {
			t.Fatal(err)
		}
		return hits, pairs
	}
	hits, pairs := answers()
	want := slices.SortedFunc(slices.Values(all[:100]), func(a, b []float32) int {
		return cmp.Compare(exact(question, own, b, own), exact(question, own, a, own))
	})
	if len(hits) != 20 || len(pairs) == 0 {
		t.Fatalf("%d hits, %d pairs", len(hits), len(pairs))
	}
	for i, h := range hits {
		if math.Abs(h.Cosine-exact(question, own, all[h.Seq], own)) > 0.01 || math.Abs(h.Cosine-exact(question, own, want[i], own)) > 0.01 {
			t.Errorf("%d: %+v", i, h)
		}
	}
	for i, p := range pairs {
		if c := exact(all[p.A.Seq], own, all[p.B.Seq], own); math.Abs(p.Cosine-c) > 0.01 || p.Cosine < 0.3 || !asked(p.A) || !asked(p.B) || i > 0 && p.Cosine > pairs[i-1].Cosine {
			t.Errorf("%+v, %.3f", p, c)
		}
	}
	for seq := range 400 { // all in one direction, so that the mean of the collection moves
		put(t, ix, memory(uint64(1000+seq)), all[0])
	}
	if again, pairsAgain := answers(); !slices.Equal(again, hits) || !slices.Equal(pairsAgain, pairs) {
		t.Error("other vectors change the answers")
	}
	if _, err := ix.NearestAmong(make([]float32, size), nil, 1, asked); err == nil {
		t.Error("a vector without length is compared")
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := ix.PairsAmong(stopped, 0.3, 10, asked); err == nil {
		t.Error("a stopped search for pairs has no error")
	}
}
