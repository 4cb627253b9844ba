package meaning

import (
	"context"
	"slices"

	"keepsake/backend/compare"
	"keepsake/backend/core/library"
	"keepsake/backend/vault"
)

// Repeats lists the pairs of active memories that seem to say the same, the most similar
// first, of those that Review lists as near: without those of which one alone has a number, a
// date or a negation. Memories without vectors are in none.
func Repeats(ctx context.Context, s *Service, v *library.Session, tx *vault.Tx) ([]ReviewPair, error) {
	if Of(v).mayReview() != nil {
		return nil, nil // there is no model, or none that this was measured with
	}
	state, err := Of(v).State()
	if err != nil || state.Vectors == 0 {
		return nil, err
	}
	all, err := s.verdicts(ctx, v, tx)
	if err != nil {
		return nil, err
	}
	passed, err := passedOver(tx)
	if err != nil {
		return nil, err
	}
	var pairs []ReviewPair
	for _, p := range all {
		if p.kind != ReviewNear || slices.Contains(passed, p.pair) {
			continue
		}
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
