package rows

import (
	"iter"
	"math"

	"keepsake/backend/memory"
	"keepsake/backend/search"
)

// At returns the id of record seq and its mark, which changes whenever its row does.
func (r *Rows) At(kind search.Kind, seq uint64) (id string, mark uint64, ok bool) {
	r.RLock()
	defer r.RUnlock()
	if seq > math.MaxInt32 {
		return "", 0, false
	}
	if kind == search.Memory {
		if row := r.Memories.BySeq.At(seq); row != nil {
			return row.ID, row.Mark, true
		}
	} else if row := r.Conversations.BySeq.At(seq); row != nil {
		return r.Words.Long(row.ID), row.Mark, true
	}
	return "", 0, false
}

// CreatedSecond returns when a record was created, in Unix seconds; 0: unknown.
func (r *Rows) CreatedSecond(kind search.Kind, seq uint64) int64 {
	r.RLock()
	defer r.RUnlock()
	created := Micro(0)
	if kind == search.Memory {
		if row := r.Memories.BySeq.At(seq); row != nil {
			created = row.Created
		}
	} else if row := r.Conversations.BySeq.At(seq); row != nil {
		created = row.Created
	}
	return int64(created) / 1e6
}

// Count returns the number of units (records in the search index).
func (r *Rows) Count() int {
	n := 0
	for range r.Units() {
		n++
	}
	return n
}

// Units yields all memories and conversations of the vault as search units, with which the
// search index finds its outdated and missing records.
func (r *Rows) Units() iter.Seq[search.Unit] {
	return func(yield func(search.Unit) bool) {
		r.RLock()
		defer r.RUnlock()
		for _, row := range r.Memories.BySeq {
			if row != nil && !yield(search.Unit{Kind: search.Memory, Seq: row.Seq, Mark: row.Mark}) {
				return
			}
		}
		for _, row := range r.Conversations.BySeq {
			if row != nil && !yield(search.Unit{Kind: search.Conversation, Seq: uint64(row.Seq), Mark: row.Mark}) {
				return
			}
		}
	}
}

// Later returns the later of two times.
func Later(a, b memory.Time) memory.Time {
	if b.Compare(a) > 0 {
		return b
	}
	return a
}

// ChangedAt returns when a memory was last changed, or created if it never was.
func ChangedAt(r memory.Record) memory.Time {
	if r.Temporal.UpdatedAt.IsZero() {
		return r.Temporal.CreatedAt
	}
	return r.Temporal.UpdatedAt
}
