package core

import (
	"encoding/json"
	"fmt"
	"io"

	"keepsake/backend/importer"
	"keepsake/backend/seal"
)

// waiting are relations of a document that wait until all of its memories were
// read, first in, first out. A document may have millions: what is more than a
// batch lies sealed in a scratch file.
type waiting struct {
	last    []*importer.RelationDraft // fewer than a batch
	before  []int64                   // lengths in the scratch file of the batches before them, oldest first
	begins  int64                     // where the oldest of these begins
	scratch *seal.Scratch             // nil where none was needed
	ends    relationEnds
	open    func() (*seal.Scratch, error)
}

func (w *waiting) count() int { return len(w.before)*batchItems + len(w.last) }

func (w *waiting) add(d *importer.RelationDraft) error {
	if w.last = append(w.last, d); len(w.last) < batchItems {
		return nil
	}
	text, err := json.Marshal(w.last)
	if err != nil {
		return fmt.Errorf("keep relations: %w", err)
	}
	if w.scratch == nil {
		if w.scratch, err = w.open(); err != nil {
			return err
		}
	}
	if _, err := w.scratch.Write(text); err != nil {
		return uploadFault(err)
	}
	w.before, w.last = append(w.before, int64(len(text))), nil
	return nil
}

// next takes the batch that waits longest, nil where none does.
func (w *waiting) next() (all []*importer.RelationDraft, err error) {
	if len(w.before) == 0 {
		all, w.last = w.last, nil
		return all, nil
	}
	text := make([]byte, w.before[0])
	if _, err := io.ReadFull(io.NewSectionReader(w.scratch, w.begins, w.before[0]), text); err != nil {
		return nil, fmt.Errorf("read relations again: %w", err)
	}
	w.begins, w.before = w.begins+w.before[0], w.before[1:]
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("read relations again: %w", err)
	}
	return all, nil
}

// drop lets go of all of them.
func (w *waiting) drop() {
	if w.scratch != nil {
		_ = w.scratch.Close() // its key goes with it
	}
	*w = waiting{open: w.open}
}
