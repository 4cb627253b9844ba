package meaning

import (
	"context"

	"keepsake/backend/core/library"
	"keepsake/backend/search"
	"keepsake/backend/vectors"
)

// Match is a memory, or a part of a conversation, that is close in meaning to what was asked.
type Match struct {
	vectors.Ref
	Cosine     float64
	Similarity float64 // the cosine as a number from 0 to 1; see Encoder
}

// Of returns the Embedder of a session.
func Of(v *library.Session) *Embedder { return library.Kept[Embedder](v) }

// Compares tells whether this program compares texts by meaning at all.
func (x *Embedder) Compares() bool { return x.cfg.Encoder != nil }

// Vectors are those of all memories, as they are at one moment.
type Vectors struct {
	Model string
	of    map[uint64]vectors.Code
}

// Has tells whether the memory with a number in the vault has a vector.
func (v *Vectors) Has(seq uint64) bool {
	_, ok := v.of[seq]
	return ok
}

// Of returns the vector of a memory, nil if it has none.
func (v *Vectors) Of(seq uint64) []float64 { return v.of[seq].Numbers() }

// Vectors returns the vectors of all memories.
func (x *Embedder) Vectors() (*Vectors, error) {
	if x.cfg.Encoder == nil {
		return nil, errNoEncoder()
	}
	ix, err := x.opened()
	if err != nil {
		return nil, err
	}
	all, err := ix.ByRecord(search.Memory)
	return &Vectors{x.cfg.Encoder.Name(), all}, err
}

// Near returns the records that are closest in meaning to a question, closest first, at most
// n, among those that have vectors by now. accept, if not nil, leaves out others; it is called
// for every vector.
func (x *Embedder) Near(ctx context.Context, question string, n int, accept func(vectors.Ref) bool) ([]Match, error) {
	if x.cfg.Encoder == nil {
		return nil, errNoEncoder()
	}
	return x.nearest(ctx, question, x.cfg.Encoder.QuestionMean(), n, accept)
}

// Like is Near for a text as the vault has them: it is compared as these are with each other.
func (x *Embedder) Like(ctx context.Context, text string, n int, accept func(vectors.Ref) bool) ([]Match, error) {
	if x.cfg.Encoder == nil {
		return nil, errNoEncoder()
	}
	return x.nearest(ctx, text, nil, n, accept)
}

// nearest compares a text less the mean of its kind, nil: that of the vault.
func (x *Embedder) nearest(ctx context.Context, text string, mean []float32, n int, accept func(vectors.Ref) bool) ([]Match, error) {
	numbers, err := x.cfg.Encoder.Embed(ctx, []string{text})
	if err != nil {
		return nil, err
	}
	ix, err := x.opened()
	if err != nil {
		return nil, err
	}
	hits, err := ix.Nearest(numbers[0], mean, n, accept)
	if err != nil {
		return nil, err
	}
	matches := make([]Match, 0, len(hits))
	for _, h := range hits {
		matches = append(matches, Match{h.Ref, h.Cosine, x.cfg.Encoder.Similarity(h.Cosine)})
	}
	return matches, nil
}
