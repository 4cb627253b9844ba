package meaning

import (
	"context"
	"fmt"
	"slices"

	"keepsake/backend/compare"
	"keepsake/backend/core/library"
	"keepsake/backend/search"
	"keepsake/backend/vault"
	"keepsake/backend/vectors"
)

// Repeats lists the pairs of active memories that seem to say the same, the most similar
// first, of those that Review lists as near: without those of which one alone has a number, a
// date or a negation. Memories without vectors are in none.
func Repeats(ctx context.Context, s *Service, v *library.Session, tx *vault.Tx) ([]ReviewPair, error) {
	if Of(v).mayReview() != nil {
		return nil, nil // there is no model, or none that this was measured with
	}
	all, err := s.undecided(ctx, v, tx, []ReviewKind{ReviewNear})
	if err != nil {
		return nil, err
	}
	var pairs []ReviewPair
	for _, p := range all {
		pair, err := p.read(tx, v.Rows, Of(v).cfg.Encoder.Similarity(p.cosine))
		if err != nil {
			return nil, err
		}
		if compare.SameValues(pair.A.Content, pair.B.Content) {
			pairs = append(pairs, pair)
		}
	}
	return pairs, nil
}

// mostRepeats is how many pairs RepeatsAmong looks at, the nearest.
const mostRepeats = 2_000

// RepeatsAmong is Repeats for some memories by their numbers in the vault, as pairs of
// numbers. It compares each with each, so they should be few hundreds. Pairs that a relation
// joins are among them. With alone, the pairs are the same whatever other memories there are.
func RepeatsAmong(ctx context.Context, v *library.Session, tx *vault.Tx, seqs []uint64, alone bool) ([][2]uint64, error) {
	if Of(v).mayReview() != nil {
		return nil, nil
	}
	m, err := Of(v).opened()
	if err != nil {
		return nil, err
	}
	all, err := library.Kept[library.LRUCache[[][2]uint64]](v).GetOr(fmt.Sprint("repeats ", m.index.Version(), alone, seqs), v.Rows.Version(), func() ([][2]uint64, error) {
		return m.repeatsAmong(ctx, v, tx, seqs, alone)
	})
	if err != nil {
		return nil, err
	}
	passed, err := passedOver(tx)
	return slices.DeleteFunc(slices.Clone(all), func(p [2]uint64) bool { return slices.Contains(passed, p) }), err
}

func (m *model) repeatsAmong(ctx context.Context, v *library.Session, tx *vault.Tx, seqs []uint64, alone bool) ([][2]uint64, error) {
	among := map[uint64]bool{}
	for _, seq := range seqs {
		among[seq] = true
	}
	pairsOf := m.index.Pairs
	if alone {
		pairsOf = m.index.PairsAmong
	}
	near, err := pairsOf(ctx, nearCosine, mostRepeats, func(ref vectors.Ref) bool { return ref.Kind == search.Memory && among[ref.Seq] })
	if err != nil {
		return nil, err
	}
	var pairs [][2]uint64
	texts := map[uint64]string{}
	for _, p := range near {
		compared, err := comparePair(tx, v.Rows, p, texts)
		if err != nil {
			return nil, err
		}
		if compared.kind == ReviewNear && compare.SameValues(texts[p.A.Seq], texts[p.B.Seq]) {
			pairs = append(pairs, compared.pair)
		}
	}
	return pairs, nil
}
