package meaning

import (
	"context"
	"fmt"
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
	matches, err := Of(v).Near(ctx, q.Text, results(q.MaxResults), func(ref vectors.Ref) bool { return r.counts(q.fits(v.Rows, ref)) })
	if err != nil {
		return r, err
	}
	err = v.View(func(tx *vault.Tx) error { return r.take(tx, v, q, matches) })
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

// counts notes whether a memory is compared, and returns it.
func (r *Retrieved) counts(compared bool) bool {
	if compared {
		r.Searched++
	}
	return compared
}

// take reads the memories that were found and are similar enough.
func (r *Retrieved) take(tx *vault.Tx, v *library.Session, q Retrieval, matches []Match) error {
	for _, m := range matches {
		id, _, ok := v.Rows.At(search.Memory, m.Seq)
		if !ok || m.Similarity < q.MinSimilarity {
			continue // deleted since, or too far
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
	state, err := Of(v).State()
	r.Missing = state.Missing
	return err
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
	err = v.View(func(tx *vault.Tx) error {
		unit, err := unitOf(tx, v.Rows, id)
		if err != nil {
			return err
		}
		compared := map[uint64]bool{} // each of its parts is compared with all
		matches, err := Of(v).Like(ctx, tx, unit, id, results(q.MaxResults), func(ref vectors.Ref) bool {
			fits := q.fits(v.Rows, ref) && (ref.Kind != unit.Kind || ref.Seq != unit.Seq)
			if fits {
				compared[ref.Seq] = true
			}
			return fits
		})
		r.Searched = len(compared)
		if err != nil {
			return err
		}
		return r.take(tx, v, q, matches)
	})
	r.Elapsed = time.Since(began)
	return r, err
}

// unitOf finds a memory or a conversation.
func unitOf(tx *vault.Tx, r *rows.Rows, id string) (search.Unit, error) {
	kind, in := search.Memory, vault.Memories
	if !tx.Has(in, id) {
		kind, in = search.Conversation, vault.Conversations
	}
	if !tx.Has(in, id) {
		return search.Unit{}, rows.ErrNoMemory(id)
	}
	seq, err := tx.Seq(in, id)
	if err != nil {
		return search.Unit{}, fmt.Errorf("find record: %w", err)
	}
	_, mark, _ := r.At(kind, seq)
	return search.Unit{Kind: kind, Seq: seq, Mark: mark}, nil
}
