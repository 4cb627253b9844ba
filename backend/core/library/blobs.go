package library

import (
	"context"
	"iter"

	"keepsake/backend/fault"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// dropBlobs deletes those of the files of an undone change that are no longer in use, and
// returns their number. A file that cannot be deleted stays, encrypted, and does not make
// the undo fail.
func (s *Library) dropBlobs(ctx context.Context, refs []string) (dropped int) {
	if len(refs) == 0 {
		return 0
	}
	v, _, leave, err := s.Enter(ctx)
	if err != nil {
		return 0
	}
	defer leave()
	dropped = s.DropLoose(v, refs)
	_ = s.Update(v, func(e *Tx) error { return e.Unmark() })
	return dropped
}

// DropLoose deletes those files of refs that no record names any more (see
// EachNamedBlob), and returns their number. A file that cannot be deleted stays.
func (s *Library) DropLoose(v *Session, refs []string) (dropped int) {
	loose, err := v.looseOf(context.Background(), refs)
	if err != nil {
		return 0
	}
	for ref := range loose {
		if v.Vault.DeleteBlob(ref) == nil {
			dropped++
		}
	}
	return dropped
}

// looseOf returns those of refs that nothing names (see EachNamedBlob).
func (v *Session) looseOf(ctx context.Context, refs []string) (map[string]bool, error) {
	loose := SetOf(refs)
	if len(loose) == 0 {
		return loose, nil
	}
	return loose, v.View(func(tx *vault.Tx) error {
		return EachNamedBlob(ctx, tx, func(ref string) { delete(loose, ref) })
	})
}

// EachNamedBlob yields the references of all files that are in use: files of stored
// conversations, original files of imports, and files of conversations that undo would
// restore. It may yield a reference more than once.
func EachNamedBlob(ctx context.Context, tx *vault.Tx, yield func(ref string)) error {
	for head, err := range tx.EachConversation() {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		if err := FilesOf(tx.Messages(head.ID), yield); err != nil {
			return err
		}
	}
	if err := originalsOf(tx, yield); err != nil {
		return err
	}
	return namedByKept(tx, yield)
}

// BlobsWhole reports whether every file that is in use (see EachNamedBlob) exists and is
// complete.
func (v *Session) BlobsWhole(ctx context.Context) (bool, error) {
	whole, seen := true, map[string]bool{}
	err := v.View(func(tx *vault.Tx) error {
		return EachNamedBlob(ctx, tx, func(ref string) { seen[ref] = true })
	})
	for ref := range seen {
		if err == nil && whole {
			whole, err = v.Vault.HasBlob(ref)
		}
		if err == nil {
			err = ctx.Err()
		}
	}
	return whole, err
}

// NamedBlobs returns EachNamedBlob as the vault.Naming that a backup needs.
func NamedBlobs(ctx context.Context) vault.Naming {
	return func(tx *vault.Tx, yield func(ref string)) error { return EachNamedBlob(ctx, tx, yield) }
}

// LossID is the id of the setting that exists while attachments are known to be lost or
// damaged. The next import then also reads files that it would skip as already imported,
// to store the attachments again.
const LossID = "lacks-files"

// NoteLoss stores the setting LossID if lost is true: attachments are missing or damaged.
// It ignores an error (read-only vault, full disk); the setting is then missing.
func (s *Library) NoteLoss(v *Session, lost bool) {
	if !lost || v.LacksFiles() {
		return
	}
	_ = s.Update(v, func(e *Tx) error { return e.VaultTx.Put(vault.Settings, LossID, e.Now.Time, []byte{1}) })
}

// MetLoss calls NoteLoss with the result of opening an attachment: lost is true if err says
// that the attachment is damaged or missing.
func (s *Library) MetLoss(v *Session, err error) {
	s.NoteLoss(v, fault.CodeOf(err) == fault.Damaged || fault.CodeOf(err) == fault.NotFound)
}

// LacksFiles reports whether attachments are known to be lost or damaged (see LossID).
func (v *Session) LacksFiles() (lacks bool) {
	_ = v.View(func(tx *vault.Tx) error {
		lacks = tx.Has(vault.Settings, LossID)
		return nil
	})
	return lacks
}

// DropOrphans deletes all files that are not in use (see EachNamedBlob), and returns their
// number.
func (v *Session) DropOrphans(ctx context.Context) (int, error) {
	refs, err := v.Vault.Blobs()
	if err != nil {
		return 0, err
	}
	loose, err := v.looseOf(ctx, refs)
	if err != nil {
		return 0, err
	}
	for ref := range loose {
		if err := v.Vault.DeleteBlob(ref); err != nil {
			return 0, err
		}
	}
	return len(loose), nil
}

// namedByKept yields the references of the files of conversations that undo would restore.
func namedByKept(tx *vault.Tx, yield func(ref string)) error {
	for h, err := range ChangeHeads(tx) {
		if err != nil {
			return err
		}
		for part := 1; part <= h.Parts; part++ {
			images, err := ReadPart(tx, h.Seq, part)
			if err != nil {
				return err
			}
			for _, im := range images {
				if im.Kind != OfConversation || im.Pieces == 0 {
					continue
				}
				kept, err := ReadKept(tx, h.Seq, part, im)
				if err == nil {
					err = FilesOf(kept.Messages(), yield)
				}
				if err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// SealingID is the id of the setting that exists while an import stores files. If it
// still exists later, the import was killed or the disk was full, and files may be left
// that nothing names.
const SealingID = "sealing"

// Mark stores the setting SealingID, so that the next import deletes the files that no
// record refers to. by is the id of an import. Unmark deletes the setting.
func (e *Tx) Mark(by string) error {
	return e.VaultTx.Put(vault.Settings, SealingID, e.Now.Time, []byte(by))
}

// Unmark deletes the setting that Mark stored.
func (e *Tx) Unmark() error {
	if !e.VaultTx.Has(vault.Settings, SealingID) {
		return nil
	}
	return e.VaultTx.Delete(vault.Settings, SealingID)
}

// NamedFiles yields the references of the files that a message names.
func NamedFiles(m *memory.Message, yield func(ref string)) {
	for _, a := range m.Attachments {
		if a.Ref != "" {
			yield(a.Ref)
		}
	}
	if m.Content == nil {
		return
	}
	for _, p := range m.Content.Parts {
		if p.Ref != "" {
			yield(p.Ref)
		}
	}
}

// FilesOf yields the references of the files that messages name.
func FilesOf(messages iter.Seq2[memory.Message, error], yield func(ref string)) error {
	return ForEach(messages, func(m memory.Message) { NamedFiles(&m, yield) })
}

// SetOf converts a list of ids to a set.
func SetOf(ids []string) map[string]bool {
	set := make(map[string]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}
