package imports

import (
	"maps"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/vault"
)

// sound reports whether the files that a conversation was read from are undamaged, so
// that it may replace a stored one. It reads each file once to its end: only there can
// an archive's checksum be verified, but the import stores items before it gets there.
func (g *group) sound(d *importer.ConversationDraft) (bool, error) {
	for _, file := range append([]string{d.File}, d.Others...) {
		if _, known := g.files[file]; !known {
			err := g.goOver(file)
			if fault.Stopped(err) {
				return false, err
			}
			g.files[file] = err == nil
		}
		if !g.files[file] {
			return false, nil
		}
	}
	return true, nil
}

// goOver checks files of a batch for damage if their conversations would replace stored
// ones. It runs before the transaction, because a transaction blocks all other writers.
func (r *run) goOver(b *batch) error {
	replacing, err := r.replacing(b)
	if err != nil {
		return err
	}
	for _, d := range replacing {
		if _, err := b.group.sound(d); err != nil {
			return err
		}
	}
	return nil
}

// replacing returns the conversations whose files goOver must check: those that the vault
// has with another checksum. One conversation per unchecked file is enough, but those
// that were read from several files are always included.
func (r *run) replacing(b *batch) (all []*importer.ConversationDraft, err error) {
	asked := maps.Clone(b.group.files)
	err = r.session.View(func(tx *vault.Tx) error {
		for _, it := range b.items {
			d := it.conversation
			if d == nil || !tx.Has(vault.Conversations, d.ID) {
				continue
			}
			if _, known := asked[d.File]; known && len(d.Others) == 0 {
				continue
			}
			if old, err := tx.ConversationHead(d.ID); err == nil && old.Sum != d.Sum {
				asked[d.File] = true
				all = append(all, d)
			}
		}
		return nil
	})
	return all, err
}

// refuse skips a new version of a conversation because its file is damaged, and keeps the
// stored version.
func (a *batchApplier) refuse(d *importer.ConversationDraft) error {
	a.counts.conversations.Skipped++
	a.counts.skip(becauseDamaged)
	a.passOver(d)
	return a.sawConversation(d.ID)
}
