package library

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// Undo undoes the last change, of whatever kind. Redo restores it, except for an import.
func (s *Service) Undo(ctx context.Context) (Change, error) {
	return s.undo(ctx, newest)
}

// ChangeOf finds the change that an import made, nil when it changed nothing
// or is too old to be undone.
func ChangeOf(tx *vault.Tx, importID string) (*ChangeHead, error) {
	for h, err := range ChangeHeads(tx) {
		if err != nil || h.Kind == "import" && h.Subjects[0] == importID {
			return h, err
		}
	}
	return nil, nil
}

func (s *Service) undo(ctx context.Context, find func(*vault.Tx) (*ChangeHead, error)) (Change, error) {
	head, err := ReadValue(ctx, s.lib, func(tx *vault.Tx) (*ChangeHead, error) { return s.lib.undoable(tx, find) })
	if err == nil && head.Kind == "import" {
		done, err := s.UndoImport(ctx, head.Subjects[0])
		change := head.Change
		change.Kept = done.Kept + done.Shared
		return change, err
	}
	if err != nil {
		return Change{}, err
	}
	u := undoRun{kept: map[string]bool{}, missed: map[string]bool{}}
	err = s.lib.Write(ctx, func(e *Tx) (err error) {
		if u.head, err = s.lib.undoable(e.VaultTx, find); err != nil {
			return err
		}
		u.Tx = e
		if err := u.run(); err != nil {
			return err
		}
		again := u.redoable()
		e.Stage(func(rs *rows.Rows) { e.undone.push(again, rs) })
		return nil
	})
	if err != nil {
		return Change{}, err
	}
	change := u.head.Change
	change.Kept = len(u.kept)
	return change, nil
}

// undoable returns the change that find returns. It returns a fault if there is none, or
// if it is an import and an import is running.
func (s *Library) undoable(tx *vault.Tx, find func(*vault.Tx) (*ChangeHead, error)) (*ChangeHead, error) {
	h, err := find(tx)
	if err != nil {
		return nil, err
	}
	if h == nil {
		return nil, fault.New(fault.NotFound, "nothing-to-undo", "There is nothing to undo.")
	}
	if h.Kind == "import" && s.IsImporting() {
		return nil, fault.New(fault.Busy, "import-running", "This import is still running.").
			Advise("Stop it first, or wait until it has finished.")
	}
	return h, nil
}

// ErrImporting returns the error for a call that is not possible while an import runs.
func ErrImporting() error {
	return fault.New(fault.Busy, "import-busy", "Another import is running.").Advise("Wait until it has finished, or stop it.")
}

// undoRun restores the images (old versions of records) of a change, the last one first.
type undoRun struct {
	*Tx
	head       *ChangeHead
	kept       map[string]bool // records not restored: changed later or held by another import; key: kind+id
	missed     map[string]bool // records that changedSince has checked already
	importUndo *importUndo     // nil unless the change is an import
}

func (u *undoRun) run() error {
	if err := u.back(u.head.Images, 0); err != nil {
		return err
	}
	for part := u.head.Parts; part > 0; part-- { // a large change stores its images in several records
		images, err := ReadPart(u.VaultTx, u.head.Seq, part)
		if err != nil {
			return err
		}
		if err := u.back(images, part); err != nil {
			return err
		}
	}
	if err := u.leave(u.head.Seq); err != nil {
		return err
	}
	return u.Log(logUpdate, u.head.ID, 1)
}

func (u *undoRun) back(images []*Image, part int) error {
	for i := len(images) - 1; i >= 0; i-- { // judge all first: restoring a memory may drop its embedding, which then seems changed
		if err := u.judge(images[i]); err != nil {
			return err
		}
	}
	for i := len(images) - 1; i >= 0; i-- {
		if err := u.one(images[i], part); err != nil {
			return fmt.Errorf("undo %s: %w", images[i].Kind, err)
		}
	}
	return nil
}

func (u *undoRun) one(im *Image, part int) error {
	switch im.Kind {
	case OfMemory:
		if u.importUndo != nil {
			return u.takeBack(im)
		}
		if changed, err := u.changedSince(im); changed || err != nil {
			return err
		}
		return u.restoreMemory(im)
	case OfRelation:
		if changed, err := u.changedSince(im); changed || err != nil {
			return err
		}
		if u.importUndo != nil && im.Before == nil {
			if stays, err := u.isHeld(im.ID); stays || err != nil {
				return err
			}
			return u.takeOutRelation(im.ID)
		}
		if u.looks() {
			return nil
		}
		return u.restoreRelation(im)
	case OfEmbedding:
		if changed, err := u.changedSince(im); changed || err != nil || u.kept[string(OfMemory)+im.ID] || u.looks() {
			return err
		}
		return u.restoreEmbedding(im)
	case OfConversation:
		return u.takeBackConversation(im, part)
	case OfRetraction:
		if u.looks() {
			return nil
		}
		return u.VaultTx.Unlink(vault.Memories, im.ID)
	case OfBlob:
		u.importUndo.free(im.ID)
	case OfProposal:
		return u.restoreProposal(im)
	case OfTodo, OfInterchange, OfCircle:
		if changed, err := u.changedSince(im); changed || err != nil || u.looks() {
			return err
		}
		if relation, ok := strings.CutPrefix(im.ID, saidPrefix); ok && im.Before == nil && u.importUndo != nil {
			if stays, err := u.isHeld(relation); stays || err != nil { // labels of a relation stay if it stays
				return err
			}
		}
		return u.restorePlain(im)
	}
	return nil
}

// judge records whether a memory or an embedding was changed after the change to undo.
func (u *undoRun) judge(im *Image) (err error) {
	switch im.Kind {
	case OfMemory:
		if u.importUndo != nil {
			return u.judgeMemory(im)
		}
		_, err = u.changedSince(im)
	case OfEmbedding:
		_, err = u.changedSince(im)
	}
	return err
}

// changedSince reports whether a record was changed after the change to undo: its hash
// then differs from After of its last image (undo data). The first answer is cached.
func (u *undoRun) changedSince(im *Image) (bool, error) {
	key := string(im.Kind) + im.ID
	if !u.missed[key] {
		u.missed[key] = true
		now, err := u.VaultTx.Find(im.Kind.Collection(), im.ID)
		if err != nil {
			return false, err
		}
		if !bytes.Equal(rows.Sum(now), im.After) {
			u.kept[key] = true
		}
	}
	return u.kept[key], nil
}

func (u *undoRun) restoreMemory(im *Image) error {
	if im.Before == nil {
		return u.removeMemory(im.ID)
	}
	r, err := pam.DecodeMemory(im.Before)
	if err != nil {
		return err
	}
	side, err := rows.DecodeProvenance(im.Side)
	if err != nil {
		return err
	}
	return u.PutMemory(r, side)
}

// removeMemory removes a memory that the change added, together with relations that were
// added to it since, so that no relation dangles.
func (u *undoRun) removeMemory(id string) error {
	for _, rel := range u.Rows.TouchingOf(id) {
		if u.VaultTx.Has(vault.Relations, rel) {
			if err := u.DropRelation(rel); err != nil {
				return err
			}
		}
	}
	if u.importUndo == nil { // redo does not cover imports: the user imports again
		if err := u.rememberMemory(id); err != nil {
			return err
		}
	}
	return u.DropMemory(id)
}

// rememberMemory keeps an Image of a memory before its removal, so that redo restores it.
func (u *undoRun) rememberMemory(id string) error {
	im, err := u.Remember(OfMemory, id, func(im *Image) error {
		m, _, err := rows.LoadMemory(u.VaultTx, id)
		im.Before, im.Side = m.Bytes, m.SideBytes
		return err
	})
	if err == nil {
		im.After = nil
	}
	return err
}

// isHeld reports whether the files of a later import also contain a relation. If so, the
// undo keeps the relation, as it keeps memories that later files contain.
func (u *undoRun) isHeld(relation string) (bool, error) {
	if !u.VaultTx.Has(vault.Relations, relation) {
		return false, nil
	}
	seq, err := u.VaultTx.Seq(vault.Relations, relation)
	if err != nil {
		return false, err
	}
	_, held := u.importUndo.seenBy(seq, relationsOf, true)
	return held, nil
}

func (u *undoRun) restoreRelation(im *Image) error {
	if im.Before == nil {
		return u.DropRelation(im.ID)
	}
	rel, err := rows.DecodeJSON[memory.Relation](im.Before, "relation")
	if err != nil {
		return err
	}
	return u.PutRelation(rel)
}
