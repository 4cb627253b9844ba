package meaning

import (
	"context"
	"fmt"
	"slices"

	"keepsake/backend/core/library"
	"keepsake/backend/memory"
	"keepsake/backend/vectors"
)

// Limits of NearPairs.
const (
	nearCosine   = 0.4    // of a pair, at least
	nearCompared = 10_000 // memories, the newest; the time grows with their square
	nearPairs    = 5_000  // the nearest
	nearEach     = 4      // pairs of one memory, its nearest
)

// NearPairs returns the ids of active memories that are near in meaning, the nearest pairs
// first. The result is shared and must not be modified.
func NearPairs(ctx context.Context, v *library.Session) ([][2]string, error) {
	if err := Of(v).mayReview(); err != nil {
		return nil, err
	}
	m, err := Of(v).opened()
	if err != nil {
		return nil, err
	}
	return library.Kept[library.LRUCache[[][2]string]](v).GetOr(fmt.Sprint("near pairs ", m.index.Version()), v.Rows.Version(), func() ([][2]string, error) {
		oldest := oldestCompared(v)
		all, err := m.index.Pairs(ctx, nearCosine, nearPairs, func(ref vectors.Ref) bool { return ref.Seq >= oldest && Retrieval{}.fits(v.Rows, ref) })
		if err != nil {
			return nil, err
		}
		return pairsOfEach(v, all), nil
	})
}

// oldestCompared returns the number of the oldest memory that is compared.
func oldestCompared(v *library.Session) uint64 {
	v.Rows.RLock()
	defer v.Rows.RUnlock()
	n := 0
	for _, row := range slices.Backward(v.Rows.Memories.BySeq) {
		if row != nil && row.Status == memory.Active {
			if n++; n == nearCompared {
				return row.Seq
			}
		}
	}
	return 0
}

// pairsOfEach keeps the first pairs of each memory.
func pairsOfEach(v *library.Session, all []vectors.Pair) (kept [][2]string) {
	v.Rows.RLock()
	defer v.Rows.RUnlock()
	counts := map[uint64]int{}
	for _, p := range all {
		a, b := v.Rows.Memories.BySeq.At(p.A.Seq), v.Rows.Memories.BySeq.At(p.B.Seq)
		if a == nil || b == nil || counts[a.Seq] >= nearEach || counts[b.Seq] >= nearEach {
			continue // deleted since, or has enough
		}
		counts[a.Seq]++
		counts[b.Seq]++
		kept = append(kept, [2]string{a.ID, b.ID})
	}
	return kept
}
