package core

import (
	"context"

	"keepsake/backend/fault"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// dropBlobs removes files that an undone change had added and that no
// conversation names any more. A file that cannot be removed stays, sealed; it
// must not make the undo fail.
func (s *library) dropBlobs(ctx context.Context, refs []string) (dropped int) {
	if len(refs) == 0 {
		return 0
	}
	v, _, leave, err := s.enter(ctx)
	if err != nil {
		return 0
	}
	defer leave()
	dropped = s.dropLoose(v, refs)
	_ = s.update(v, func(e *edit) error { return e.unmark() })
	return dropped
}

// dropLoose removes those of the files that nothing names: no conversation, and
// none that undo would put back. It says how many.
func (s *library) dropLoose(v *session, refs []string) (dropped int) {
	var loose map[string]bool
	err := v.vault.View(func(tx *vault.Tx) (err error) {
		loose, err = looseOf(context.Background(), tx, refs)
		return err
	})
	if err != nil {
		return 0
	}
	for ref := range loose {
		if v.vault.DeleteBlob(ref) == nil {
			dropped++
		}
	}
	return dropped
}

// looseOf are those of the files that nothing names.
func looseOf(ctx context.Context, tx *vault.Tx, refs []string) (map[string]bool, error) {
	loose := setOf(refs)
	if len(loose) == 0 {
		return loose, nil
	}
	return loose, eachNamedBlob(ctx, tx, func(ref string) { delete(loose, ref) })
}

// eachNamedBlob yields the files that something names: conversations that are
// there, imports that kept their files, and conversations that undo would put back.
func eachNamedBlob(ctx context.Context, tx *vault.Tx, yield func(ref string)) error {
	for head, err := range tx.EachConversation() {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		for m, err := range tx.Messages(head.ID) {
			if err != nil {
				return err
			}
			named(&m, yield)
		}
	}
	if err := originalsOf(tx, yield); err != nil {
		return err
	}
	return namedByKept(tx, yield)
}

// blobsWhole reports that every attachment that something names is there, whole.
func (v *session) blobsWhole(ctx context.Context) (bool, error) {
	whole, seen := true, map[string]bool{}
	err := v.vault.View(func(tx *vault.Tx) error {
		return eachNamedBlob(ctx, tx, func(ref string) { seen[ref] = true })
	})
	for ref := range seen {
		if err == nil && whole {
			whole, err = v.vault.HasBlob(ref)
		}
		if err == nil {
			err = ctx.Err()
		}
	}
	return whole, err
}

// namedBlobs is eachNamedBlob for a backup.
func namedBlobs(ctx context.Context) vault.Naming {
	return func(tx *vault.Tx, yield func(ref string)) error { return eachNamedBlob(ctx, tx, yield) }
}

// lossID is the record that stands while attachments are known to be lost or
// damaged: the next import reads again what it would pass over, for their sake.
const lossID = "lacks-files"

// noteLoss keeps that attachments are lost or damaged. A vault that cannot be
// written to, because it is frozen or the disk is full, does without.
func (s *library) noteLoss(v *session, lost bool) {
	if !lost || v.lacksFiles() {
		return
	}
	_ = s.update(v, func(e *edit) error { return e.tx.Put(vault.Settings, lossID, e.now.Time, []byte{1}) })
}

// metLoss is noteLoss for what opening an attachment came to.
func (s *library) metLoss(v *session, err error) {
	s.noteLoss(v, fault.CodeOf(err) == fault.Damaged || fault.CodeOf(err) == fault.NotFound)
}

// lacksFiles reports that attachments are known to be lost or damaged.
func (v *session) lacksFiles() (lacks bool) {
	_ = v.vault.View(func(tx *vault.Tx) error {
		lacks = tx.Has(vault.Settings, lossID)
		return nil
	})
	return lacks
}

// dropOrphans removes the files that nothing names, and says how many.
func (v *session) dropOrphans(ctx context.Context) (int, error) {
	refs, err := v.vault.Blobs()
	if err != nil || len(refs) == 0 {
		return 0, err
	}
	var loose map[string]bool
	err = v.vault.View(func(tx *vault.Tx) (err error) {
		loose, err = looseOf(ctx, tx, refs)
		return err
	})
	if err != nil {
		return 0, err
	}
	for ref := range loose {
		if err := v.vault.DeleteBlob(ref); err != nil {
			return 0, err
		}
	}
	return len(loose), nil
}

// namedByKept yields the files that conversations name which undo would put back.
func namedByKept(tx *vault.Tx, yield func(ref string)) error {
	for h, err := range heads(tx) {
		if err != nil {
			return err
		}
		for part := 1; part <= h.Parts; part++ {
			images, err := readPart(tx, h.Seq, part)
			if err != nil {
				return err
			}
			for _, im := range images {
				if im.Kind != ofConversation || im.Pieces == 0 {
					continue
				}
				kept, err := readKept(tx, h.Seq, part, im)
				if err == nil {
					err = kept.files(yield)
				}
				if err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// sealingID is the record that stands while an import stores files. One that is
// still there later means that the import was killed, or that the disk was
// full, and that files may be left which nothing names.
const sealingID = "sealing"

// mark notes that files may be left which nothing names, for the next import to
// look; unmark takes the note away.
func (e *edit) mark(by string) error {
	return e.tx.Put(vault.Settings, sealingID, e.now.Time, []byte(by))
}

func (e *edit) unmark() error {
	if !e.tx.Has(vault.Settings, sealingID) {
		return nil
	}
	return e.tx.Delete(vault.Settings, sealingID)
}

// named yields the files that a message names.
func named(m *memory.Message, yield func(ref string)) {
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

func setOf(ids []string) map[string]bool {
	set := make(map[string]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}
