package meaning

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/format/personal"
	"keepsake/backend/memory"
	"keepsake/backend/search"
	"keepsake/backend/vault"
	"keepsake/backend/vectors"
)

// Retrieval is a request for the memories that answer a question, as the Personal Memory
// Specification has it ("Retrieve").
type Retrieval struct {
	Text          string
	Categories    []library.Category // none: all
	Since, Until  time.Time          // of creation; zero: any
	MaxResults    int                // 0: 10; at most 200
	MinSimilarity float64            // from 0 to 1
}

// RetrievedMemory is a memory that answers a question.
type RetrievedMemory struct {
	memory.Record
	Category    library.Category
	ContentType personal.ContentType
	Similarity  float64
}

// Retrieved is the answer to a Retrieval, the most similar memories first.
type Retrieved struct {
	Memories []RetrievedMemory
	Searched int // memories that were compared
	Missing  int // memories and conversations that have no vectors yet
	Elapsed  time.Duration
}

// Most results of Retrieve and Similar.
const (
	defaultResults = 10
	mostResults    = 200
)

// Retrieve finds active memories by their meaning, and counts them as read.
func (s *Service) Retrieve(ctx context.Context, q Retrieval) (Retrieved, error) {
	began := time.Now()
	r, err := Retrieved{}, q.check()
	if err != nil {
		return r, err
	}
	v, ctx, leave, err := s.lib.Enter(ctx)
	if err != nil {
		return r, err
	}
	defer leave()
	matches, err := q.near(ctx, v, Of(v).Near, q.Text, nil, &r)
	if err != nil {
		return r, err
	}
	err = v.Vault.View(func(tx *vault.Tx) error { return r.take(tx, v.Rows, matches) })
	for _, m := range r.Memories {
		v.Note(m.ID, s.lib.Now())
	}
	if err == nil {
		s.lib.NoteReading(v, library.LogSearch, "")
	}
	r.Elapsed = time.Since(began)
	return r, err
}

func (q Retrieval) check() error {
	if !(q.MinSimilarity >= 0 && q.MinSimilarity <= 1) {
		return fault.New(fault.Invalid, "similarity-range", "The least similarity is a number from 0 to 1.")
	}
	return nil
}

// near returns the memories that fit and are similar enough to a text, by Near or Like; the
// record besides is none of them. r counts what was compared.
func (q Retrieval) near(ctx context.Context, v *library.Session, find finder, text string, besides *search.Unit, r *Retrieved) ([]Match, error) {
	matches, err := find(ctx, text, results(q.MaxResults), func(ref vectors.Ref) bool {
		fits := q.fits(v.Rows, ref) && (besides == nil || ref.Kind != besides.Kind || ref.Seq != besides.Seq)
		if fits {
			r.Searched++
		}
		return fits
	})
	if err != nil {
		return nil, err
	}
	state, err := Of(v).State()
	r.Missing = state.Missing
	return slices.DeleteFunc(matches, func(m Match) bool { return m.Similarity < q.MinSimilarity }), err
}

// finder is a method of an Embedder that finds records for a text.
type finder func(ctx context.Context, text string, n int, accept func(vectors.Ref) bool) ([]Match, error)

// take reads the memories that were found.
func (r *Retrieved) take(tx *vault.Tx, rs *rows.Rows, matches []Match) error {
	for _, m := range matches {
		id, _, ok := rs.At(search.Memory, m.Seq)
		if !ok {
			continue // deleted since
		}
		stored, ok, err := rows.LoadMemory(tx, id)
		if err != nil {
			return err
		}
		if ok {
			category, content := personal.OfRecord(stored.Record)
			r.Memories = append(r.Memories, RetrievedMemory{stored.Record, category, content, m.Similarity})
		}
	}
	return nil
}

// results is how many results are wanted.
func results(n int) int {
	if n <= 0 {
		n = defaultResults
	}
	return min(n, mostResults)
}

func (q Retrieval) fits(r *rows.Rows, ref vectors.Ref) bool {
	if ref.Kind != search.Memory {
		return false
	}
	r.RLock()
	defer r.RUnlock()
	row := r.Memories.BySeq.At(ref.Seq)
	if row == nil || row.Status != memory.Active {
		return false
	}
	created := row.Created
	return (len(q.Categories) == 0 || slices.Contains(q.Categories, row.Category())) &&
		(q.Since.IsZero() || created >= rows.MicroOf(memory.At(q.Since))) &&
		(q.Until.IsZero() || created < rows.MicroOf(memory.At(q.Until)))
}

// Similar returns the active memories that are closest in meaning to a memory or to what the
// person wrote in a conversation. Text of q is not used.
func (s *Service) Similar(ctx context.Context, id string, q Retrieval) (Retrieved, error) {
	began := time.Now()
	r, err := Retrieved{}, q.check()
	if err != nil {
		return r, err
	}
	v, ctx, leave, err := s.lib.Enter(ctx)
	if err != nil {
		return r, err
	}
	defer leave()
	err = v.Vault.View(func(tx *vault.Tx) error {
		unit, passages, err := textsOf(tx, id)
		if err != nil {
			return err
		}
		best := map[uint64]Match{} // by number of the memory
		for _, p := range passages {
			r.Searched = 0 // each passage is compared with all
			matches, err := q.near(ctx, v, Of(v).Like, p.text, &unit, &r)
			if err != nil {
				return err
			}
			for _, m := range matches {
				if have, ok := best[m.Seq]; !ok || m.Similarity > have.Similarity {
					best[m.Seq] = m
				}
			}
		}
		all := slices.SortedFunc(maps.Values(best), func(a, b Match) int {
			return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), cmp.Compare(b.Seq, a.Seq))
		})
		return r.take(tx, v.Rows, all[:min(len(all), results(q.MaxResults))])
	})
	r.Elapsed = time.Since(began)
	return r, err
}

// textsOf reads what is embedded of a memory or a conversation.
func textsOf(tx *vault.Tx, id string) (search.Unit, []passage, error) {
	kind, in := search.Memory, vault.Memories
	if !tx.Has(in, id) {
		kind, in = search.Conversation, vault.Conversations
	}
	if !tx.Has(in, id) {
		return search.Unit{}, nil, rows.ErrNoMemory(id)
	}
	seq, err := tx.Seq(in, id)
	if err != nil {
		return search.Unit{}, nil, fmt.Errorf("find record: %w", err)
	}
	passages, err := passagesOf(tx, kind, id)
	return search.Unit{Kind: kind, Seq: seq}, passages, err
}
