package embed

import (
	"math"
	"testing"
)

func TestSimilarityRisesFromZeroToOne(t *testing.T) {
	for cosine, want := range map[float64]float64{-1: 0, 0: 0, 0.14: 0.7, 0.32: 0.8, 0.77: 0.95, 1: 1, 1.0000001: 1, math.Inf(-1): 0} {
		if got := Similarity(cosine); math.Abs(got-want) > 1e-9 {
			t.Errorf("%g: %g and not %g", cosine, got, want)
		}
	}
	last := 0.0
	for i := range 2001 {
		cosine := float64(i-1000) / 1000
		got := Similarity(cosine)
		if got < last || cosine > 0 && got == last {
			t.Fatalf("at %g: %g after %g", cosine, got, last)
		}
		last = got
	}
}
