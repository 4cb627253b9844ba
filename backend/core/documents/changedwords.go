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

// Recall sets Before of memories whose text in a file does not match their content hash:
// to the text with this hash, if the open vault has it or had it earlier.
func Recall(ctx context.Context, lib *library.Library, changed []pam.Changed) {
	if len(changed) == 0 {
		return
	}
	_ = lib.Read(ctx, func(_ *library.Session, tx *vault.Tx) error { // after an error, Before stays empty
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

// wordsOf returns the text of a memory or of an earlier version of it that has this
// content hash, "" if none has.
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
