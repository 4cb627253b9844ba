package documents

import (
	"context"
	"slices"

	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// Recall adds to memories that a file was found to have changed what they said
// before, where the vault is open and has or had these words.
func Recall(ctx context.Context, lib *library.Library, changed []pam.Changed) {
	if len(changed) == 0 {
		return
	}
	_ = lib.Read(ctx, func(_ *library.Session, tx *vault.Tx) error { // without them the report says what the file says
		for i, c := range changed {
			words, err := wordsOf(tx, c.ID, c.Hash)
			if err != nil {
				return err
			}
			changed[i].Before = words
		}
		return nil
	})
}

// wordsOf are the words of a memory, or of a version of it, that a hash is of; "" where
// there are none.
func wordsOf(tx *vault.Tx, id, hash string) (string, error) {
	m, ok, err := rows.LoadMemory(tx, id)
	if err != nil || !ok {
		return "", err
	}
	if memory.ContentHash(m.Content) == hash {
		return m.Content, nil
	}
	for _, old := range slices.Backward(m.Side.Versions) {
		words, err := rows.ContentOf(old.Memory)
		if err != nil {
			return "", err
		}
		if memory.ContentHash(words) == hash {
			return words, nil
		}
	}
	return "", nil
}
