package imports

import (
	"maps"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/vault"
)

// sound reports that the files a conversation was read from are as their archive
// promises, so that it may replace one that the vault holds. An archive tells only
// at the end of a file, when what stands before may be stored already.
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

// goOver goes over the files that a batch may replace something by, before the
// transaction: whoever else writes waits for that.
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

// replacing are conversations that the vault has from other bytes, one of each file
// that nobody knows yet to be sound or not.
func (r *run) replacing(b *batch) (all []*importer.ConversationDraft, err error) {
	asked := maps.Clone(b.group.files)
	err = r.session.Vault.View(func(tx *vault.Tx) error {
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

// refuse leaves the vault's conversation as it is where a damaged file says another.
func (a *batchApplier) refuse(d *importer.ConversationDraft) error {
	a.counts.conversations.Skipped++
	a.counts.skip(becauseDamaged)
	a.passOver(d)
	return a.sawConversation(d.ID)
}
