package meaning

import (
	"context"
	"slices"

	"keepsake/backend/compare"
)

// Statements are texts that are not in the vault, with their vectors, which are stored nowhere.
type Statements struct {
	texts   []string
	vectors [][]float32
}

// IsEmpty reports whether there are none.
func (s Statements) IsEmpty() bool { return len(s.texts) == 0 }

// Statements makes the vectors of texts.
func (x *Embedder) Statements(ctx context.Context, texts []string) (Statements, error) {
	s := Statements{texts: texts}
	if err := x.mayReview(); err != nil {
		return s, err
	}
	for batch := range slices.Chunk(texts, batchTexts) {
		numbers, err := x.cfg.Encoder.Embed(ctx, batch)
		if err != nil {
			return s, err
		}
		s.vectors = append(s.vectors, numbers...)
	}
	return s, ctx.Err()
}

// Limits of Repeated.
const (
	mostCompared = 5 // known statements, the nearest, that one is compared with by the rules of compare
	mostLonger   = 2 // how many times as long as a known one it may be; what is longer says more
)

// Repeated returns those of some texts that say the same as a known statement, and no more.
func (x *Embedder) Repeated(ctx context.Context, texts []string, known Statements) (map[string]bool, error) {
	s, err := x.Statements(ctx, texts)
	if err != nil {
		return nil, err
	}
	m, err := x.opened()
	if err != nil {
		return nil, err
	}
	near, err := m.index.Between(s.vectors, known.vectors, compare.LeastRedundant, mostCompared)
	repeated := map[string]bool{}
	for i, neighbors := range near {
		for _, n := range neighbors {
			other := known.texts[n.At]
			if compare.Redundant(texts[i], other, n.Cosine) {
				repeated[texts[i]] = true
			}
		}
	}
	return repeated, err
}
