package meaning

import (
	"context"

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
