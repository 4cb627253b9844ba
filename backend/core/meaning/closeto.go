package meaning

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"keepsake/backend/search"
	"keepsake/backend/vault"
	"keepsake/backend/vectors"
)

// CloseRecord is a memory or a conversation that is close in meaning to something.
type CloseRecord struct {
	Kind       search.Kind
	ID         string
	Similarity float64 // from 0 to 1; see Encoder
}

// CloseTo returns the records, also archived ones, that are closest in meaning to any of some
// questions or memories, without these memories: at most n of each, closest first, that are at
// least so similar. tx reads memories that have no vectors yet.
func (x *Embedder) CloseTo(ctx context.Context, tx *vault.Tx, questions, memories []string, n int, least float64) ([]CloseRecord, error) {
	if _, err := x.opened(); err != nil {
		return nil, err
	}
	given := map[uint64]bool{}
	var units []search.Unit
	for _, id := range memories {
		unit, err := unitOf(tx, x.session.Rows, id)
		if err != nil {
			return nil, err
		}
		units, given[unit.Seq] = append(units, unit), true
	}
	others := func(ref vectors.Ref) bool { return ref.Kind != search.Memory || !given[ref.Seq] }
	closest := map[string]CloseRecord{}
	add := func(matches []Match) {
		for _, m := range matches {
			id, _, ok := x.session.Rows.At(m.Kind, m.Seq)
			if ok && m.Similarity >= max(least, closest[id].Similarity) {
				closest[id] = CloseRecord{m.Kind, id, m.Similarity}
			}
		}
	}
	for _, q := range questions {
		matches, err := x.Near(ctx, q, n, others)
		if err != nil {
			return nil, err
		}
		add(matches)
	}
	for i, unit := range units {
		matches, err := x.Like(ctx, tx, unit, memories[i], n, others)
		if err != nil {
			return nil, err
		}
		add(matches)
	}
	return slices.SortedFunc(maps.Values(closest), func(a, b CloseRecord) int {
		return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), cmp.Compare(a.ID, b.ID))
	}), nil
}
