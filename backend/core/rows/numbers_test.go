package rows

import (
	"maps"
	"math/rand/v2"
	"testing"
)

// TestNumbers: what is packed comes back, and nothing else is there.
func TestNumbers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		set := map[uint64]bool{}
		for range random.IntN(300) {
			set[random.Uint64N(1+uint64(random.IntN(2000)))] = true
		}
		packed := NumbersOf(set)
		if !maps.Equal(set, packed.Set()) {
			t.Fatalf("%v comes back as %v", set, packed.Set())
		}
		for seq := range uint64(2000) {
			if packed.Has(seq) != set[seq] {
				t.Fatalf("%d: %v", seq, packed.Has(seq))
			}
		}
	}
	run := map[uint64]bool{}
	for seq := range uint64(20_000) {
		run[seq+7] = true
	}
	if packed := NumbersOf(run); len(packed) > 8 {
		t.Errorf("20,000 neighbours take %d bytes", len(packed))
	}
}

// TestNumbersThatAreDamaged: what cannot be read names nothing.
func TestNumbersThatAreDamaged(t *testing.T) {
	for _, packed := range []Numbers{"*", "/w", "gA", NumbersOf(map[uint64]bool{5: true})[:2]} {
		if packed.Has(5) || len(packed.Set()) > 0 {
			t.Errorf("%q has numbers", packed)
		}
	}
}
