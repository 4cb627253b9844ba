package core

import (
	"context"

	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// dropBlobs removes files that an undone change had added and that no
// conversation names any more. A file that cannot be removed stays, sealed; it
// must not make the undo fail.
func (s *Service) dropBlobs(ctx context.Context, refs []string) {
	if len(refs) == 0 {
		return
	}
	v, _, leave, err := s.enter(ctx)
	if err != nil {
		return
	}
	defer leave()
	s.dropLoose(v, refs)
}

// dropLoose removes those of the files that nothing names: no conversation, and
// none that undo would put back.
func (s *Service) dropLoose(v *session, refs []string) {
	if len(refs) == 0 {
		return
	}
	loose := make(map[string]bool, len(refs))
	for _, ref := range refs {
		loose[ref] = true
	}
	drop := func(ref string) { delete(loose, ref) }
	err := v.vault.View(func(tx *vault.Tx) error {
		return eachNamedBlob(context.Background(), tx, drop)
	})
	if err != nil {
		return
	}
	for ref := range loose {
		_ = v.vault.DeleteBlob(ref)
	}
}

// eachNamedBlob yields the files that conversations name, those first that are
// there, then those that undo would put back.
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
	return namedByKept(tx, yield)
}

// dropOrphans removes the files that nothing names, and says how many.
func (v *session) dropOrphans(ctx context.Context) (int, error) {
	refs, err := v.vault.Blobs()
	if err != nil || len(refs) == 0 {
		return 0, err
	}
	loose := make(map[string]bool, len(refs))
	for _, ref := range refs {
		loose[ref] = true
	}
	err = v.vault.View(func(tx *vault.Tx) error {
		return eachNamedBlob(ctx, tx, func(ref string) { delete(loose, ref) })
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
	st, err := readStack(tx)
	if err != nil {
		return err
	}
	for seq := st.First; seq <= st.Last; seq++ {
		h, err := readHead(tx, seq)
		if err != nil {
			return err
		}
		if h == nil {
			continue
		}
		for part := 1; part <= h.Parts; part++ {
			images, err := readPart(tx, seq, part)
			if err != nil {
				return err
			}
			for _, im := range images {
				if im.Kind != ofConversation || im.Pieces == 0 {
					continue
				}
				kept, err := readGraph(tx, seq, part, im)
				if err != nil {
					return err
				}
				for i := range kept.Conversation.Messages {
					named(&kept.Conversation.Messages[i], yield)
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

// sealing notes, before the first file of an import is settled, that it stores
// some.
func (r *run) sealing(refs []string) error {
	if r.seals || len(refs) == 0 {
		return nil
	}
	err := r.service.update(r.session, func(e *edit) error {
		return e.tx.Put(vault.Settings, sealingID, e.now.Time, []byte(r.id))
	})
	r.seals = err == nil
	return err
}

// sealed removes what nothing names, and the note where that could be done.
func (r *run) sealed() {
	r.service.dropLoose(r.session, r.loose.left())
	if r.seals {
		_ = r.service.update(r.session, func(e *edit) error { return e.tx.Delete(vault.Settings, sealingID) })
	}
}

// sweep removes the files that an import left which did not get to its end.
func (r *run) sweep() error {
	left := false
	err := r.session.vault.View(func(tx *vault.Tx) error {
		left = tx.Has(vault.Settings, sealingID)
		return nil
	})
	if err != nil || !left {
		return err
	}
	refs, err := r.session.vault.Blobs()
	if err != nil {
		return err
	}
	r.service.dropLoose(r.session, refs)
	return r.service.update(r.session, func(e *edit) error { return e.tx.Delete(vault.Settings, sealingID) })
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
