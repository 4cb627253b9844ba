package imports

import (
	"encoding/json"
	"fmt"
	"io"

	"keepsake/backend/core/files"
	"keepsake/backend/importer"
	"keepsake/backend/seal"
)

// spillQueue holds the relations of a document until all of its memories were read, first
// in, first out. A document may have millions of relations: each full batch is spilled to
// an encrypted scratch file.
type spillQueue struct {
	tail    []*importer.RelationDraft // newest relations, in memory until they fill a batch
	spilled []int64                   // lengths of the batches in the scratch file, oldest first; tail is newer
	offset  int64                     // where the oldest spilled batch begins in the scratch file
	scratch *seal.Scratch             // nil until a batch is spilled
	ends    relationEnds
	open    func() (*seal.Scratch, error)
}

func (q *spillQueue) count() int { return len(q.spilled)*batchItems + len(q.tail) }

func (q *spillQueue) add(d *importer.RelationDraft) error {
	if q.tail = append(q.tail, d); len(q.tail) < batchItems {
		return nil
	}
	text, err := json.Marshal(q.tail)
	if err != nil {
		return fmt.Errorf("keep relations: %w", err)
	}
	if q.scratch == nil {
		if q.scratch, err = q.open(); err != nil {
			return err
		}
	}
	if _, err := q.scratch.Write(text); err != nil {
		return files.UploadFault(err)
	}
	q.spilled, q.tail = append(q.spilled, int64(len(text))), nil
	return nil
}

// next dequeues the oldest batch; nil if the queue is empty.
func (q *spillQueue) next() (all []*importer.RelationDraft, err error) {
	if len(q.spilled) == 0 {
		all, q.tail = q.tail, nil
		return all, nil
	}
	text := make([]byte, q.spilled[0])
	if _, err := io.ReadFull(io.NewSectionReader(q.scratch, q.offset, q.spilled[0]), text); err != nil {
		return nil, fmt.Errorf("read relations again: %w", err)
	}
	q.offset, q.spilled = q.offset+q.spilled[0], q.spilled[1:]
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("read relations again: %w", err)
	}
	return all, nil
}

// drop empties the queue.
func (q *spillQueue) drop() {
	if q.scratch != nil {
		_ = q.scratch.Close() // also discards the key that the file is encrypted with
	}
	*q = spillQueue{open: q.open}
}
