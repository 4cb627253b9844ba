package library

import (
	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/vault"
)

// An embedding is stored under the id of its memory, and deleted when the content of the
// memory changes, because it does not describe the new content (PAM §12.1). Stored
// memories have no embedding_ref; an export of a memory with its embedding adds it.

// PutEmbedding stores the embedding of a memory, in place of an earlier one. memoryID
// replaces x.MemoryID, because the memory may have another id in the vault than in the
// document.
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

// maxDimensions is the maximum length of a vector; it keeps an embedding well below the
// size limit of a record.
const maxDimensions = 1 << 16

func (u *undoRun) restoreEmbedding(im *Image) error {
	if im.Before == nil {
		return u.dropRecord(OfEmbedding, im.ID)
	}
	if !u.VaultTx.Has(vault.Memories, im.ID) {
		return nil
	}
	return wrap(u.VaultTx.Put(vault.Embeddings, im.ID, u.Now.Time, im.Before), "store embedding")
}

// ReadEmbedding reads the embedding of a memory.
func ReadEmbedding(tx *vault.Tx, memoryID string) (x pam.Embedding, err error) {
	text, err := tx.Get(vault.Embeddings, memoryID)
	if err != nil {
		return x, err
	}
	return rows.DecodeJSON[pam.Embedding](text, "embedding")
}
