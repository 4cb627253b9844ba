package core

import (
	"iter"
	"math"

	"keepsake/backend/search"
)

// at finds the row of a record by its number in the vault.
func (r *rows) at(kind search.Kind, seq uint64) (id string, mark uint64, ok bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if seq > math.MaxInt32 {
		return "", 0, false
	}
	if kind == search.Memory {
		if row := r.memories.bySeq.at(seq); row != nil {
			return row.id, row.mark, true
		}
		return "", 0, false
	}
	if row := r.conversations.bySeq.at(seq); row != nil {
		return r.words.long(row.id), row.mark, true
	}
	return "", 0, false
}

// count is how many units there are.
func (r *rows) count() int {
	n := 0
	for range r.units() {
		n++
	}
	return n
}

// units lists what the vault has, for the index to compare with.
func (r *rows) units() iter.Seq[search.Unit] {
	return func(yield func(search.Unit) bool) {
		r.mu.RLock()
		defer r.mu.RUnlock()
		for _, row := range r.memories.bySeq {
			if row != nil && !yield(search.Unit{Kind: search.Memory, Seq: row.seq, Mark: row.mark}) {
				return
			}
		}
		for _, row := range r.conversations.bySeq {
			if row != nil && !yield(search.Unit{Kind: search.Conversation, Seq: uint64(row.seq), Mark: row.mark}) {
				return
			}
		}
	}
}
