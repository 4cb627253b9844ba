package rows

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSortRows holds sorting by digits, and the first rows of a list, to comparing.
func TestSortRows(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	numbers := []func() int64{
		func() int64 { return 0 },
		func() int64 { return random.Int64N(3) - 1 },
		func() int64 { return random.Int64N(1<<50) - 1<<49 },
		func() int64 { return []int64{math.MinInt64, -1, 0, 1, math.MaxInt64}[random.IntN(5)] },
	}
	ids := []string{"", "a", "12345678", "12345678-", "12345678-9", "é"}
	for _, n := range []int{0, 1, 1000, 1 << 10, 5000} {
		for i, key := range numbers {
			for j, created := range numbers {
				rows, keys := make([]*Memory, n), map[*Memory]int64{}
				for k := range rows {
					rows[k] = &Memory{Seq: uint64(k), ID: fmt.Sprint(ids[random.IntN(len(ids))], random.IntN(2*n)), Created: Micro(created())}
					keys[rows[k]] = key()
				}
				by := Ordering{func(row *Memory) int64 { return keys[row] }}
				compare := func(a, b *Memory) int {
					return cmp.Or(cmp.Compare(keys[a], keys[b]), cmp.Compare(b.Created, a.Created), cmp.Compare(a.ID, b.ID))
				}
				want := slices.SortedFunc(slices.Values(rows), compare)
				if got := Sort(rows, by.Levels()...); slices.CompareFunc(got, want, compare) != 0 {
					t.Errorf("%d rows by %d and %d are in another order", n, i, j)
				}
				first := Leading{By: by}
				for _, row := range rows {
					first.Take(row)
				}
				if got := first.Sorted(); slices.CompareFunc(got, want[:min(n, First)], compare) != 0 {
					t.Errorf("the first of %d rows by %d and %d are others", n, i, j)
				}
			}
		}
	}
}
