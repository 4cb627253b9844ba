package core

import (
	"encoding/json"
	"fmt"

	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/vault"
)

// An embedding is kept under the id of its memory and goes when the words of the
// memory change: it says nothing of the new ones (PAM §12.1). What is stored of a
// memory never names it; embedding_ref is written where both leave together.

// putEmbedding keeps the embedding of a memory of the vault, in the place of one
// before. What x says of its memory does not count: the vault may know that one
// under another id.
func (e *edit) putEmbedding(memoryID string, x pam.Embedding) error {
	if err := x.Check(); err != nil {
		return err
	}
	if len(x.Vector) > maxDimensions {
		return fault.New(fault.TooLarge, "embedding-too-long", "An embedding has {size} numbers; at most {limit} are kept.").
			With("size", len(x.Vector)).With("limit", maxDimensions)
	}
	x.MemoryID = memoryID
	if e.sketch != nil {
		mark, err := markOf(x)
		e.sketch.embeddings[memoryID] = mark
		return err
	}
	m, err := rows.NeedMemory(e.tx, memoryID)
	if err != nil {
		return err
	}
	text, err := rows.EncodeJSON(x)
	if err != nil {
		return err
	}
	im, err := e.rememberEmbedding(memoryID)
	if err != nil {
		return err
	}
	if err := e.tx.Put(vault.Embeddings, memoryID, x.CreatedAt.Time, text); err != nil {
		return fmt.Errorf("store embedding: %w", err)
	}
	im.After = rows.Sum(text)
	return e.putMemoryRow(m.Record, m.Side) // so that an incremental export takes it along
}

// maxDimensions keeps an embedding well within one record.
const maxDimensions = 1 << 16

func (e *edit) rememberEmbedding(memoryID string) (*image, error) {
	return e.remember(ofEmbedding, memoryID, func(im *image) (err error) {
		im.Before, err = e.tx.Find(vault.Embeddings, memoryID)
		return err
	})
}

// dropEmbedding takes the embedding of a memory away, where there is one.
func (e *edit) dropEmbedding(memoryID string) error {
	if !e.tx.Has(vault.Embeddings, memoryID) {
		return nil
	}
	im, err := e.rememberEmbedding(memoryID)
	if err != nil {
		return err
	}
	if err := e.tx.Delete(vault.Embeddings, memoryID); err != nil {
		return fmt.Errorf("delete embedding: %w", err)
	}
	im.After = nil
	return nil
}

func (u *undoing) restoreEmbedding(im *image) error {
	if im.Before == nil {
		return u.dropEmbedding(im.ID)
	}
	if !u.tx.Has(vault.Memories, im.ID) {
		return nil
	}
	if err := u.tx.Put(vault.Embeddings, im.ID, u.now.Time, im.Before); err != nil {
		return fmt.Errorf("store embedding: %w", err)
	}
	return nil
}

func readEmbedding(tx *vault.Tx, memoryID string) (x pam.Embedding, err error) {
	text, err := tx.Get(vault.Embeddings, memoryID)
	if err != nil {
		return x, err
	}
	if err := json.Unmarshal(text, &x); err != nil {
		return x, fmt.Errorf("read embedding: %w", err)
	}
	return x, nil
}
