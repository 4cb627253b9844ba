package meaning

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"unicode"

	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/memory"
	"keepsake/backend/search"
	"keepsake/backend/vault"
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
func (x *Embedder) Compares() bool {
	server, _ := x.trouble()
	return server || x.cfg.Encoder != nil
}

// IsOneWord tells whether a question is one word of a script that puts spaces between words:
// that is too little context to compare it by meaning.
func IsOneWord(question string) bool {
	return len(strings.Fields(question)) < 2 && strings.IndexFunc(question, func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
	}) < 0
}

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
	m, err := x.opened()
	if err != nil {
		return nil, err
	}
	return m.vectors()
}

func (m *model) vectors() (*Vectors, error) {
	all, err := m.index.ByRecord(search.Memory)
	return &Vectors{m.Name(), all}, err
}

// CurrentVectors returns the vectors that the built-in model made of the memories as they are
// now: none of a memory that was written again since. Without the model, or while a server is in
// its place, there are none.
func (x *Embedder) CurrentVectors() (*Vectors, error) {
	if x.mayReview() != nil {
		return &Vectors{}, nil
	}
	m, _, err := x.sync()
	if IsUnavailable(err) {
		return &Vectors{}, nil
	}
	if err != nil {
		return nil, err
	}
	return m.vectors()
}

// CopyOf returns the vector of a memory in a new slice, nil if it has none.
func (v *Vectors) CopyOf(seq uint64) []float32 {
	code, ok := v.of[seq]
	if !ok {
		return nil
	}
	out := make([]float32, code.Dimensions())
	code.CopyTo(out)
	return out
}

// Near returns the records that are closest in meaning to a question, closest first, at most
// n, among those that have vectors by now. accept, if not nil, leaves out others; it is called
// for every vector.
func (x *Embedder) Near(ctx context.Context, question string, n int, accept func(vectors.Ref) bool) ([]Match, error) {
	m, err := x.opened()
	if err != nil {
		return nil, err
	}
	return x.embedded(ctx, m, question, m.QuestionMean(), n, accept)
}

// NearAmong is Near for the vectors that accept takes alone: what it returns says nothing of others.
func (x *Embedder) NearAmong(ctx context.Context, question string, n int, accept func(vectors.Ref) bool) ([]Match, error) {
	m, err := x.opened()
	if err != nil {
		return nil, err
	}
	numbers, err := x.embed(ctx, m, question)
	if err != nil {
		return nil, err
	}
	hits, err := m.index.NearestAmong(numbers[0], m.QuestionMean(), n, accept)
	return m.matches(hits), err
}

// MemoryMatch is a memory that is close in meaning to a text.
type MemoryMatch struct {
	ID         string
	Similarity float64 // from 0 to 1; see Encoder
}

// MemoriesLike returns the memories that are closest in meaning to a statement that is none of
// them, such as a proposal: it is compared as memories are with each other. It returns at most
// n, closest first, without those that are archived or not at least so similar.
func (x *Embedder) MemoriesLike(ctx context.Context, statement string, n int, least float64) ([]MemoryMatch, error) {
	m, err := x.opened()
	if err != nil {
		return nil, err
	}
	matches, err := x.embedded(ctx, m, statement, nil, n, func(ref vectors.Ref) bool { return inView(x.session.Rows, ref) })
	return x.memories(matches, least), err
}

// inView tells whether a vector is that of a memory that is not archived.
func inView(r *rows.Rows, ref vectors.Ref) bool {
	r.RLock()
	defer r.RUnlock()
	row := r.Memories.BySeq.At(ref.Seq)
	return ref.Kind == search.Memory && row != nil && row.Status != memory.Archived
}

// memories names the memories of matches that are similar enough.
func (x *Embedder) memories(matches []Match, least float64) (found []MemoryMatch) {
	for _, m := range matches {
		if id, _, ok := x.session.Rows.At(m.Kind, m.Seq); ok && m.Similarity >= least {
			found = append(found, MemoryMatch{id, m.Similarity})
		}
	}
	return found
}

// embedded compares a text less the mean of its kind of texts, as nearest does.
func (x *Embedder) embedded(ctx context.Context, m *model, text string, mean []float32, n int, accept func(vectors.Ref) bool) ([]Match, error) {
	numbers, err := x.embed(ctx, m, text)
	if err != nil {
		return nil, err
	}
	return m.nearest(numbers[0], mean, n, accept)
}

// Like is Near for a record of the vault: what is closest to any of its vectors. tx reads its
// texts where it has no vectors yet.
func (x *Embedder) Like(ctx context.Context, tx *vault.Tx, unit search.Unit, id string, n int, accept func(vectors.Ref) bool) ([]Match, error) {
	m, err := x.opened()
	if err != nil {
		return nil, err
	}
	own, err := x.vectorsOf(ctx, m, tx, unit, id)
	if err != nil {
		return nil, err
	}
	best := map[vectors.Ref]Match{}
	for _, v := range own {
		matches, err := m.nearest(v, nil, n, accept)
		if err != nil {
			return nil, err
		}
		for _, match := range matches {
			of := vectors.Ref{Kind: match.Kind, Seq: match.Seq}
			if have, ok := best[of]; !ok || match.Cosine > have.Cosine {
				best[of] = match
			}
		}
	}
	all := slices.SortedFunc(maps.Values(best), func(a, b Match) int {
		return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), cmp.Compare(b.Seq, a.Seq))
	})
	return all[:min(len(all), n)], nil
}

// vectorsOf returns the vectors of a record: those of the index, or new ones of its texts.
func (x *Embedder) vectorsOf(ctx context.Context, m *model, tx *vault.Tx, unit search.Unit, id string) ([][]float32, error) {
	kept, err := m.index.Vectors(unit)
	if err != nil {
		return nil, err
	}
	var own [][]float32
	for _, v := range kept {
		own = append(own, v.Numbers)
	}
	if own != nil {
		return own, nil
	}
	passages, err := passagesOf(tx, unit.Kind, id)
	if err != nil || len(passages) == 0 {
		return nil, err
	}
	var texts []string
	for _, p := range passages {
		texts = append(texts, p.text)
	}
	return x.embed(ctx, m, texts...)
}

// nearest compares a vector less the mean of its kind of texts, nil: that of the vault.
func (m *model) nearest(numbers, mean []float32, n int, accept func(vectors.Ref) bool) ([]Match, error) {
	hits, err := m.index.Nearest(numbers, mean, n, accept)
	return m.matches(hits), err
}

func (m *model) matches(hits []vectors.Hit) []Match {
	matches := make([]Match, 0, len(hits))
	for _, h := range hits {
		matches = append(matches, Match{h.Ref, h.Cosine, m.Similarity(h.Cosine)})
	}
	return matches
}
