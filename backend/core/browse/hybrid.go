package browse

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"keepsake/backend/core/library"
	"keepsake/backend/core/meaning"
	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/search"
	"keepsake/backend/vectors"
)

// SearchMode says what hits have in common with the query.
type SearchMode string

// Search modes. "" is Lexical.
const (
	Hybrid   SearchMode = "hybrid"   // its words, then its meaning
	Lexical  SearchMode = "lexical"  // its words
	Semantic SearchMode = "semantic" // its meaning
)

// SearchModes lists the modes.
func SearchModes() []SearchMode { return []SearchMode{Hybrid, Lexical, Semantic} }

// How hits by meaning are ordered and chosen; docs/embeddings.md has the figures.
const (
	wordWeight    = 0.02 // of a point of BM25 that the words of the question give, beside the cosine
	mostWordScore = 20   // points beyond which more words count no more
	nearest       = 100  // hits by meaning that are looked at
	mostNear      = 10   // of them in a page of hits by words
	leastNear     = 0.7  // similarity below which a hit by meaning is none
	surelyNear    = 0.8  // similarity of a memory from which they stand before messages that have all words
	mostEarly     = 5    // of them that take the places of others then
)

// nearHit is a record that is close in meaning to a query.
type nearHit struct {
	search.Hit
	similarity float64
	order      float64
}

// near returns what is close in meaning to the question of a query and passes its filters,
// best first: by cosine, and by the words of the question that it has.
func (q SearchQuery) near(ctx context.Context, v *library.Session, index *search.Index, parsed search.Query, least float64) ([]nearHit, error) {
	question := parsed.Question()
	if q.AsYouType { // the words as they were typed; parsed may have the beginning of one
		typed, err := search.Parse(q.Text)
		if err != nil {
			return nil, err
		}
		question = typed.Question()
	}
	if question == "" || q.Mode == Hybrid && meaning.IsOneWord(question) {
		return nil, nil
	}
	passes, err := index.Filter(parsed, time.Local)
	if err != nil {
		return nil, err
	}
	compare := meaning.Of(v).Near
	if q.Accept != nil {
		compare = meaning.Of(v).NearAmong
	}
	matches, err := compare(ctx, question, nearest, func(ref vectors.Ref) bool { return q.accepts(v.Rows, ref, passes) })
	if err != nil {
		return nil, err
	}
	words, err := index.Search(ctx, parsed.Any(), search.SearchOptions{Limit: mostHits, Accept: q.Accept, Location: time.Local, Exactly: true})
	if err != nil {
		return nil, err
	}
	// Words that stand in every other text, as those of a question do, give less than this.
	common := math.Log(float64(max(1, index.Stats().Docs)))
	if q.Accept != nil {
		common = 0 // every word gives the same then
	}
	scores := map[vectors.Ref]float64{}
	for _, h := range words.Hits {
		scores[vectors.Ref{Kind: h.Kind, Seq: h.Seq, Part: h.Part}] = min(max(h.Score-common, 0), mostWordScore)
	}
	var hits []nearHit
	for _, m := range matches {
		if m.Similarity >= least {
			hits = append(hits, nearHit{search.Hit{Kind: m.Kind, Seq: m.Seq, Part: m.Part}, m.Similarity, m.Cosine + wordWeight*scores[m.Ref]})
		}
	}
	slices.SortStableFunc(hits, func(a, b nearHit) int { return cmp.Compare(b.order, a.order) })
	return hits, nil
}

// accepts tells whether a record is of a kind that the query is for, and passes its filters.
func (q SearchQuery) accepts(r *rows.Rows, ref vectors.Ref, passes func(search.Kind, uint64, uint32, int64) bool) bool {
	if q.In == "memories" && ref.Kind != search.Memory || q.In == "messages" && ref.Kind != search.Conversation {
		return false
	}
	if q.Accept != nil && !q.Accept(ref.Kind, ref.Seq) {
		return false
	}
	return passes == nil || passes(ref.Kind, ref.Seq, ref.Part, r.CreatedSecond(ref.Kind, ref.Seq))
}

// notIn leaves out the records that words have found.
func notIn(near []nearHit, found []search.Hit) []nearHit {
	type record struct {
		kind search.Kind
		seq  uint64
	}
	known := map[record]bool{}
	for _, h := range found {
		known[record{h.Kind, h.Seq}] = true
	}
	return slices.DeleteFunc(near, func(h nearHit) bool { return known[record{h.Kind, h.Seq}] })
}

// fill makes a page of what words found and, on the first one, what is close in meaning. That
// stands together: behind the memories that have the words if a memory among it is surely
// meant, else at the end.
func (t *texts) fill(ctx context.Context, result *SearchResult, found search.Results, near []nearHit, opt search.SearchOptions) error {
	early := slices.ContainsFunc(near, func(h nearHit) bool { return h.Kind == search.Memory && h.similarity >= surelyNear })
	reserved := 0
	if early {
		reserved = min(len(near), mostEarly, opt.Limit/2)
	}
	words, taken, err := t.fold(ctx, found.Hits, found.Best, found.Query, opt.Limit-reserved)
	if err != nil {
		return err
	}
	if next := opt.Offset + taken; next < result.Total {
		result.Next = next
	}
	at := len(words)
	if early {
		if i := slices.IndexFunc(words, func(h Hit) bool { return h.Kind != library.FoundMemory }); i >= 0 {
			at = i
		}
	}
	shown := map[string]bool{}
	for _, h := range words {
		shown[h.Same] = true
	}
	hits, err := t.openNear(ctx, near, found.Query, min(mostNear, opt.Limit-len(words)), shown)
	result.Hits = slices.Insert(words, at, hits...)
	result.Total += len(hits)
	return err
}

// openNear reads the records of hits by meaning, at most limit, without those whose words are
// in shown already, and adds theirs to it.
func (t *texts) openNear(ctx context.Context, near []nearHit, q search.Query, limit int, shown map[string]bool) ([]Hit, error) {
	hits := []Hit{}
	for _, n := range near {
		if len(hits) == limit {
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		o, err := t.open(n.Hit)
		if rows.IsAbsent(err) {
			continue // deleted since
		}
		if err != nil {
			return nil, err
		}
		if o.Same = o.words(); shown[o.Same] {
			continue
		}
		shown[o.Same] = true
		o.Score, o.Close = n.similarity, true
		o.Snippet = pieces(search.Excerpt(o.text, q, 0))
		hits = append(hits, o.Hit)
	}
	return hits, nil
}

// semantic answers a query by its meaning alone.
func (s *Service) semantic(ctx context.Context, v *library.Session, index *search.Index, parsed search.Query, q SearchQuery, opt search.SearchOptions, result *SearchResult) error {
	if parsed.Question() == "" && !parsed.Empty() {
		return fault.New(fault.Invalid, "search-no-question", "A search by meaning needs words in a row, without quotes, stars, OR and NOT.")
	}
	near, err := q.near(ctx, v, index, parsed, q.MinScore)
	if err != nil {
		return err
	}
	return withTexts(v, func(t *texts) error {
		if q.Hide != nil {
			if near, err = q.unhidden(ctx, t, near); err != nil {
				return err
			}
		}
		all, err := t.openNear(ctx, near, parsed, len(near), map[string]bool{})
		if err != nil {
			return err
		}
		result.Total, result.Exact = len(all), true
		from := min(opt.Offset, len(all))
		to := min(from+opt.Limit, len(all))
		if result.Hits = all[from:to]; to < len(all) {
			result.Next = to
		}
		return nil
	})
}
