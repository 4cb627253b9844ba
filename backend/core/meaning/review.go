package meaning

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"keepsake/backend/compare"
	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
	"keepsake/backend/search"
	"keepsake/backend/vault"
	"keepsake/backend/vectors"
)

// ReviewKind is why two memories are shown to the person together.
type ReviewKind string

// Kinds of a review.
const (
	ReviewNear       ReviewKind = "near"       // they seem to say the same
	ReviewContradict ReviewKind = "contradict" // they may contradict each other
	ReviewRelations  ReviewKind = "relations"  // they are about the same, and no relation says so
)

// ReviewKinds lists the kinds.
func ReviewKinds() []ReviewKind { return []ReviewKind{ReviewNear, ReviewContradict, ReviewRelations} }

// ReviewPair is two memories that the person may want to look at. Nothing is changed by it.
type ReviewPair struct {
	Kind       ReviewKind
	Reason     compare.Reason // of ReviewContradict: in what they differ
	A, B       memory.Record  // the older first
	Similarity float64
}

// Review is what there is to look at.
type Review struct {
	Pairs   []ReviewPair
	Total   int // pairs of the kinds that were asked for
	Missing int // memories and conversations that have no vectors yet
}

// mayReview returns an error unless the built-in model is in use: the cosine thresholds of
// pairs and topics were measured with that one only.
func (x *Embedder) mayReview() error {
	server, _ := x.trouble()
	switch {
	case server:
		return fault.New(fault.Unsupported, "review-not-measured", "Pairs and topics are told by limits that were measured with the built-in model alone, so there are none while an embedding server compares the texts.").
			Advise("Switch the embedding server off in the settings to have them.")
	case x.cfg.Encoder == nil:
		return errNoEncoder()
	}
	return nil
}

// Limits of a review.
const (
	leastCosine = 0.3    // of a pair that is looked at
	mostPairs   = 20_000 // of them, the nearest
)

// verdictPair is a pair by the numbers of its memories.
type verdictPair struct {
	kind   ReviewKind
	reason compare.Reason
	pair   [2]uint64
	cosine float64
}

// Review lists pairs of active memories to look at, of some kinds (none: all), the most
// similar of each kind first. Pairs that the person passed over, and those that a relation
// joins already, are left out.
func (s *Service) Review(ctx context.Context, kinds []ReviewKind, offset, limit int) (Review, error) {
	v, ctx, leave, err := s.lib.Enter(ctx)
	if err != nil {
		return Review{}, err
	}
	defer leave()
	if err := Of(v).mayReview(); err != nil {
		return Review{}, err
	}
	state, err := Of(v).State()
	if err != nil {
		return Review{}, err
	}
	r := Review{Missing: state.Missing}
	err = v.View(func(tx *vault.Tx) error {
		all, err := s.undecided(ctx, v, tx, kinds)
		if err != nil {
			return err
		}
		r.Total = len(all)
		for _, p := range all[min(offset, len(all)):min(offset+results(limit), len(all))] {
			pair, err := p.read(tx, v.Rows, Of(v).cfg.Encoder.Similarity(p.cosine))
			if err != nil {
				return err
			}
			r.Pairs = append(r.Pairs, pair)
		}
		return nil
	})
	return r, err
}

// undecided returns the pairs of some kinds (none: all) that the person did not pass over.
func (s *Service) undecided(ctx context.Context, v *library.Session, tx *vault.Tx, kinds []ReviewKind) ([]verdictPair, error) {
	all, err := s.verdicts(ctx, v, tx)
	if err != nil {
		return nil, err
	}
	passed, err := passedOver(tx)
	return slices.DeleteFunc(slices.Clone(all), func(p verdictPair) bool {
		return len(kinds) > 0 && !slices.Contains(kinds, p.kind) || slices.Contains(passed, p.pair)
	}), err
}

// verdicts compares the memories that are near each other, or returns what was found before
// the vault or the vectors changed.
func (s *Service) verdicts(ctx context.Context, v *library.Session, tx *vault.Tx) ([]verdictPair, error) {
	m, err := Of(v).opened()
	if err != nil {
		return nil, err
	}
	return library.Kept[library.LRUCache[[]verdictPair]](v).GetOr(fmt.Sprint("review ", m.index.Version()), v.Rows.Version(), func() ([]verdictPair, error) {
		near, err := m.index.Pairs(ctx, leastCosine, mostPairs, func(ref vectors.Ref) bool { return Retrieval{}.fits(v.Rows, ref) })
		if err != nil {
			return nil, err
		}
		var pairs []verdictPair
		texts := map[uint64]string{}
		for _, p := range near {
			pair, err := comparePair(tx, v.Rows, p, texts)
			if err != nil {
				return nil, err
			}
			if pair.kind != "" && !joined(v.Rows, p) {
				pairs = append(pairs, pair)
			}
		}
		order := ReviewKinds()
		slices.SortStableFunc(pairs, func(a, b verdictPair) int {
			return cmp.Or(slices.Index(order, a.kind)-slices.Index(order, b.kind), cmp.Compare(b.cosine, a.cosine))
		})
		return pairs, nil
	})
}

// comparePair reads two memories, texts of those that were read before, and says why they are to
// be shown; no kind if they are not.
func comparePair(tx *vault.Tx, r *rows.Rows, p vectors.Pair, texts map[uint64]string) (verdictPair, error) {
	for _, ref := range []vectors.Ref{p.A, p.B} {
		if _, read := texts[ref.Seq]; read {
			continue
		}
		id, _, ok := r.At(search.Memory, ref.Seq)
		if !ok {
			return verdictPair{}, nil // deleted since
		}
		stored, _, err := rows.LoadMemory(tx, id)
		if err != nil {
			return verdictPair{}, err
		}
		texts[ref.Seq] = stored.Content
	}
	verdict := compare.Compare(texts[p.A.Seq], texts[p.B.Seq], p.Cosine)
	out := verdictPair{reason: verdict.Reason, pair: [2]uint64{min(p.A.Seq, p.B.Seq), max(p.A.Seq, p.B.Seq)}, cosine: p.Cosine}
	switch verdict.Relation {
	case compare.Repeats:
		out.kind = ReviewNear
	case compare.Contradicts:
		out.kind = ReviewContradict
	case compare.Related:
		out.kind = ReviewRelations
	}
	return out, nil
}

// joined tells whether a relation joins two memories.
func joined(r *rows.Rows, p vectors.Pair) bool {
	a, _, _ := r.At(search.Memory, p.A.Seq)
	b, _, _ := r.At(search.Memory, p.B.Seq)
	r.RLock()
	defer r.RUnlock()
	return slices.ContainsFunc(r.RelationsOf(a), func(rel memory.Relation) bool { return rel.From == b || rel.To == b })
}

func (p verdictPair) read(tx *vault.Tx, r *rows.Rows, similarity float64) (ReviewPair, error) {
	out := ReviewPair{Kind: p.kind, Reason: p.reason, Similarity: similarity}
	for i, to := range []*memory.Record{&out.A, &out.B} {
		id, _, _ := r.At(search.Memory, p.pair[i])
		stored, ok, err := rows.LoadMemory(tx, id)
		if err == nil && !ok {
			err = rows.ErrNoMemory(id)
		}
		if err != nil {
			return out, err
		}
		*to = stored.Record
	}
	if out.B.Temporal.CreatedAt.Compare(out.A.Temporal.CreatedAt) < 0 {
		out.A, out.B = out.B, out.A
	}
	return out, nil
}

// passedOverID is the setting with the pairs that the person passed over, by the numbers of
// their memories in the vault: they say nothing of what is forgotten later.
const passedOverID = "reviewed-pairs"

func passedOver(tx *vault.Tx) (pairs [][2]uint64, err error) {
	_, err = rows.FindJSON(tx, vault.Settings, passedOverID, "reviewed pairs", &pairs)
	return pairs, err
}

// mostPassedOver bounds the setting; the oldest choices are forgotten first.
const mostPassedOver = 10_000

// PassOver keeps a pair of memories out of all reviews, or no longer.
func (s *Service) PassOver(ctx context.Context, a, b string, out bool) error {
	return s.lib.Write(ctx, func(e *library.Tx) error {
		var pair [2]uint64
		for i, id := range []string{a, b} {
			if !e.VaultTx.Has(vault.Memories, id) {
				return rows.ErrNoMemory(id)
			}
			seq, err := e.VaultTx.Seq(vault.Memories, id)
			if err != nil {
				return err
			}
			pair[i] = seq
		}
		if a == b {
			return fault.New(fault.Invalid, "same-memory", "These are one and the same memory.")
		}
		slices.Sort(pair[:])
		all, err := passedOver(e.VaultTx)
		if err != nil || slices.Contains(all, pair) == out {
			return err
		}
		if out {
			all = append(all, pair)
		} else {
			all = slices.DeleteFunc(all, func(p [2]uint64) bool { return p == pair })
		}
		return e.PutSetting(passedOverID, all[max(0, len(all)-mostPassedOver):])
	})
}
