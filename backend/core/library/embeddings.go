package library

import (
	"fmt"

	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/vault"
)

// An embedding is stored under the id of its memory, and deleted when the content of the
// memory changes, because it does not describe the new content (PAM §12.1). Stored
// memories have no embedding_ref; it is written when both are exported together.

// PutEmbedding keeps the embedding of a memory of the vault, in the place of one
// before. What x says of its memory does not count: the vault may know that one
// under another id.
func (e *Tx) PutEmbedding(memoryID string, x pam.Embedding) error {
	if err := x.Check(); err != nil {
		return err
	}
	if len(x.Vector) > maxDimensions {
		return fault.New(fault.TooLarge, "embedding-too-long", "An embedding has {size} numbers; at most {limit} are kept.").
			With("size", len(x.Vector)).With("limit", maxDimensions)
	}
	x.MemoryID = memoryID
	return e.putEmbedding(x)
}

// maxDimensions keeps an embedding well within one record.
const maxDimensions = 1 << 16

func (e *Tx) rememberEmbedding(memoryID string) (*Image, error) {
	return e.Remember(OfEmbedding, memoryID, func(im *Image) (err error) {
		im.Before, err = e.VaultTx.Find(vault.Embeddings, memoryID)
		return err
	})
}

// dropEmbedding takes the embedding of a memory away, where there is one.
func (e *Tx) dropEmbedding(memoryID string) error {
	if !e.VaultTx.Has(vault.Embeddings, memoryID) {
		return nil
	}
	im, err := e.rememberEmbedding(memoryID)
	if err != nil {
		return err
	}
	if err := e.VaultTx.Delete(vault.Embeddings, memoryID); err != nil {
		return fmt.Errorf("delete embedding: %w", err)
	}
	im.After = nil
	return nil
}

func (u *undoRun) restoreEmbedding(im *Image) error {
	if im.Before == nil {
		return u.dropEmbedding(im.ID)
	}
	if !u.VaultTx.Has(vault.Memories, im.ID) {
		return nil
	}
	if err := u.VaultTx.Put(vault.Embeddings, im.ID, u.Now.Time, im.Before); err != nil {
		return fmt.Errorf("store embedding: %w", err)
	}
	return nil
}

// ReadEmbedding reads the embedding of a memory.
func ReadEmbedding(tx *vault.Tx, memoryID string) (x pam.Embedding, err error) {
	text, err := tx.Get(vault.Embeddings, memoryID)
	if err != nil {
		return x, err
	}
	err = rows.DecodeJSON(text, "embedding", &x)
	return x, err
}
