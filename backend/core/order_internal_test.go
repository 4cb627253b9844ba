package core

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSortFound holds sorting by digits to sorting by compare.
func TestSortFound(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	numbers := []func() int64{
		func() int64 { return 0 },
		func() int64 { return random.Int64N(3) - 1 },
		func() int64 { return random.Int64N(1<<50) - 1<<49 },
		func() int64 { return []int64{math.MinInt64, -1, 0, 1, math.MaxInt64}[random.IntN(5)] },
	}
	for _, n := range []int{0, 1, 1000, 1 << 10, 5000} {
		for i, key := range numbers {
			for j, newest := range numbers {
				rows := make([]found, n)
				for k := range rows {
					id := fmt.Sprintf("%08x", random.IntN(2*n))
					rows[k] = found{&memoryRow{id: id}, key(), newest(), uint64(random.IntN(3))}
				}
				want := slices.Clone(rows)
				slices.SortFunc(want, found.compare)
				if got := sortFound(rows); slices.CompareFunc(got, want, found.compare) != 0 {
					t.Errorf("%d rows by %d and %d are in another order", n, i, j)
				}
			}
		}
	}
}
