package library

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/vault"
)

// ImportUndo counts what the undo of an import removes from the vault, what it restores,
// and what stays.
type ImportUndo struct {
	ImportID string `json:"import_id"`

	// Counts of removed records: those that no other import brought.
	Conversations int `json:"conversations"`
	Messages      int `json:"messages"` // messages of the removed conversations
	Memories      int `json:"memories"`
	Relations     int `json:"relations"`
	Proposals     int `json:"proposals"`
	Attachments   int `json:"attachments"` // files no longer in use; 0 in a plan, which does not search for them

	// Records restored as they were before the import changed them.
	ConversationsBack int `json:"conversations_back"`
	MemoriesBack      int `json:"memories_back"`

	// Shared counts records that another import brought, too; they stay with one source
	// less. Kept counts records that the user edited since; they stay as they are. Edited
	// lists the first MaxSampled memories of Kept.
	Shared int         `json:"shared"`
	Kept   int         `json:"kept"`
	Edited []Forgotten `json:"edited"`
}

// UndoImport undoes one import, however many changes came after it. It works in batches,
// each a transaction. If it was stopped or killed, the next call continues the undo.
func (s *Service) UndoImport(ctx context.Context, id string) (ImportUndo, error) {
	v, ctx, release, err := s.lib.Hold(ctx)
	if err != nil {
		return nothingUndone(), err
	}
	defer release()
	t := newTaking(id)
	for more := true; more && err == nil; {
		if err = ctx.Err(); err == nil {
			err = s.lib.Update(v, func(e *Tx) (err error) {
				more, err = s.lib.takeBackSome(e, t)
				return err
			})
		}
		s.lib.Emit(EventLibrary, nil)
	}
	if err != nil {
		return nothingUndone(), err
	}
	t.result.Attachments = s.lib.dropBlobs(ctx, t.blobs)
	return t.result, nil
}

func nothingUndone() ImportUndo { return ImportUndo{Edited: []Forgotten{}} }

// PlanUndoImport returns what UndoImport would do, as a dry run: it writes nothing.
func (s *Service) PlanUndoImport(ctx context.Context, id string) (ImportUndo, error) {
	t := newTaking(id)
	t.looking = true
	err := s.lib.Read(ctx, func(v *Session, tx *vault.Tx) error {
		if only, err := onlySaw(tx, id); err != nil {
			return err
		} else if only {
			return (&undoRun{Tx: NewTx(tx, v.Rows), importUndo: t}).inherited()
		}
		h, err := s.lib.undoable(tx, importChange(id))
		if err != nil {
			return err
		}
		u := &undoRun{Tx: NewTx(tx, v.Rows), head: h, kept: map[string]bool{}, missed: map[string]bool{}, importUndo: t}
		if err := t.learn(tx); err != nil {
			return err
		}
		for part := h.Parts; part > 0; part-- {
			images, err := ReadPart(tx, h.Seq, part)
			if err == nil {
				err = u.back(images, part)
			}
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return err
			}
		}
		if err := u.orphans(); err != nil {
			return err
		}
		return u.countUp()
	})
	if err != nil {
		return nothingUndone(), err
	}
	return t.result, nil
}

// importChange returns a function that finds the undo record (change) of an import. The
// function returns a fault if there is no import with this id or it cannot be undone.
func importChange(id string) func(*vault.Tx) (*ChangeHead, error) {
	return func(tx *vault.Tx) (*ChangeHead, error) {
		if !tx.Has(vault.Imports, id) {
			return nil, ErrNoImport(id)
		}
		h, err := ChangeOf(tx, id)
		if err == nil && h == nil {
			err = fault.New(fault.Conflict, "import-not-undoable", "This import cannot be taken back.").
				Advise("It changed nothing, was taken back already, or lies further back than undo reaches.")
		}
		return h, err
	}
}

// undoFate is the outcome of an undo for a memory or a conversation that the import added
// or changed.
type undoFate int

const (
	fateOwn    undoFate = iota // only this import brought it; becomes fateBack or fateOut
	fateShared                 // another import brought it, too: it stays
	fateEdited                 // the user edited it: it stays
	fateBack                   // restored to its version from before the import
	fateOut                    // removed
)

// importUndo is the state of the undo of one import over all its batches, with what it
// must know of the other imports.
type importUndo struct {
	id     string
	undone map[string]bool // ids of the imports that were undone before
	living []Sighting      // what the files of the remaining imports held, newest first
	own    *Sighting       // what this import's files held; nil if the import was killed before it stored that

	fates     map[string]undoFate        // of memories and conversations, by fateKey
	shrunk    map[string]map[string]bool // restored conversation with proposals → message ids after the undo
	proposing map[string]bool            // conversations that have a proposal in the Inbox
	relations map[string]bool            // ids of the removed relations
	blobs     []string                   // files that may no longer be in use
	looking   bool                       // the undo is only planned: nothing is written
	learned   bool                       // the method learn has run, so its results are set
	result    ImportUndo
}

func newTaking(id string) *importUndo {
	return &importUndo{
		id: id, fates: map[string]undoFate{}, shrunk: map[string]map[string]bool{}, proposing: map[string]bool{}, relations: map[string]bool{},
		result: ImportUndo{ImportID: id, Edited: []Forgotten{}},
	}
}

func (t *importUndo) free(ref string) {
	if !t.looking {
		t.blobs = append(t.blobs, ref)
	}
}

// learn reads, once, the ids of undone imports, the records that the files of this and
// the remaining imports held, and which conversations have proposals.
func (t *importUndo) learn(tx *vault.Tx) (err error) {
	if t.learned {
		return nil
	}
	if t.undone, err = undoneImports(tx); err != nil {
		return err
	}
	if t.living, err = sightings(tx, t.id); err != nil {
		return err
	}
	if t.own, err = ReadSighting(tx, t.id); err != nil {
		return err
	}
	all, err := Proposals(tx)
	for _, p := range all {
		t.proposing[p.ConversationID] = true
	}
	t.learned = err == nil
	return err
}

// looks reports whether this run only plans the undo of an import and writes nothing.
func (u *undoRun) looks() bool { return u.importUndo != nil && u.importUndo.looking }

// seenBy finds the newest import, except undone ones, whose files also held the record.
// of selects the records of one kind. With onlyLater, only imports after the one being
// undone count: their files held the record in the version that it stored.
func (t *importUndo) seenBy(seq uint64, of func(Holding) Bitset, onlyLater bool) (*Sighting, bool) {
	for i, s := range t.living {
		if (s.later || !onlyLater) && of(s.holding).Has(seq) {
			return &t.living[i], true
		}
	}
	return nil, false
}

func conversationsOf(h Holding) Bitset { return h.Conversations }

func memoriesOf(h Holding) Bitset { return h.Memories }

func relationsOf(h Holding) Bitset { return h.Relations }

// gone reports whether an import is the one being undone or was undone before.
func (t *importUndo) gone(importID string) bool { return importID == t.id || t.undone[importID] }

// Limits of one batch of an undo: bytes of undo data (estimated for conversations), and
// number of images (old versions of records).
const (
	undoBytes  = 16 << 20
	undoImages = 2000
)

// takeBackSome undoes the last remaining parts of an import, as many as fit into one
// batch. more reports whether parts are left.
func (s *Library) takeBackSome(e *Tx, t *importUndo) (more bool, err error) {
	if only, err := onlySaw(e.VaultTx, t.id); err != nil {
		return false, err
	} else if only {
		u := &undoRun{Tx: e, importUndo: t}
		if err := u.inherited(); err != nil {
			return false, err
		}
		return false, errors.Join(u.unsee(), u.freeOriginals(), u.markUndone(t.id), e.Log(logImportUndone, t.id, 0))
	}
	h, err := s.undoable(e.VaultTx, importChange(t.id))
	if err != nil {
		return false, err
	}
	if err := t.learn(e.VaultTx); err != nil {
		return false, err
	}
	u := &undoRun{Tx: e, head: h, kept: map[string]bool{}, missed: map[string]bool{}, importUndo: t}
	for done, size := 0, 0; h.Parts > 0 && done < undoImages && size < undoBytes; h.Parts-- {
		images, err := ReadPart(e.VaultTx, h.Seq, h.Parts)
		if err != nil {
			return false, err
		}
		if err := u.back(images, h.Parts); err != nil {
			return false, err
		}
		if err := e.discardPart(h.Seq, h.Parts, images); err != nil {
			return false, err
		}
		for _, im := range images {
			done, size = done+1, size+len(im.Before)+im.Pieces*pieceSize/8
		}
	}
	if err := e.WriteHead(h); err != nil {
		return false, err
	}
	if h.Parts > 0 {
		return true, errors.Join(u.markFreed(), e.markUndoing(t.id))
	}
	if err := u.orphans(); err != nil {
		return false, err
	}
	return false, u.closeImport()
}

// markFreed calls Mark if the undo has collected files that may no longer be in use.
func (u *undoRun) markFreed() error {
	if len(u.importUndo.blobs) == 0 {
		return nil
	}
	return u.Mark(u.importUndo.id)
}

// countUp computes the counts in the result of the undo.
func (u *undoRun) countUp() error {
	t := u.importUndo
	t.count(&t.result)
	t.result.Relations = len(t.relations)
	all, err := Proposals(u.VaultTx)
	gone := t.leftBehind(u.VaultTx)
	for _, p := range all {
		if gone(p) {
			t.result.Proposals++
		}
	}
	return err
}

// closeImport ends the undo of an import: it removes proposals without a source, original
// files and the Sighting (what the files held), marks the report as undone, and logs it.
func (u *undoRun) closeImport() error {
	t := u.importUndo
	err := errors.Join(
		u.countUp(),
		u.DropProposals(t.leftBehind(u.VaultTx)),
		u.leave(u.head.Seq),
		u.freeOriginals(),
		u.markUndone(t.id),
	)
	if err != nil {
		return err
	}
	if t.own != nil {
		if err := u.unsee(); err != nil {
			return err
		}
	}
	r := t.result
	return errors.Join(u.markFreed(), u.Log(logImportUndone, t.id, r.Conversations+r.Memories+r.ConversationsBack+r.MemoriesBack))
}

// unsee deletes the import's Sighting, so its files no longer count as holding records.
func (u *undoRun) unsee() error {
	if err := u.VaultTx.Delete(vault.Settings, SightingID(u.importUndo.id)); err != nil {
		return fmt.Errorf("delete sighting: %w", err)
	}
	u.Stage(func(rs *rows.Rows) { rs.Sightings++ })
	return nil
}

// onlySaw reports that an import changed nothing, but has a sighting (the record of what
// its files held). It can be undone all the same, because records that its files lacked
// are marked as removed at the provider.
func onlySaw(tx *vault.Tx, id string) (bool, error) {
	var report ImportReport
	found, err := rows.FindJSON(tx, vault.Imports, id, "report", &report)
	if err != nil || !found || report.Changed || !report.UndoneAt.IsZero() {
		return false, err
	}
	seen, err := ReadSighting(tx, id)
	return seen != nil && err == nil, err
}

// inherited removes records of imports that were undone earlier. These records had stayed
// only because the files of this import contained them, too.
func (u *undoRun) inherited() error {
	if err := u.importUndo.learn(u.VaultTx); err != nil {
		return err
	}
	return errors.Join(u.orphans(), u.countUp())
}

// freeOriginals removes the import's original files from its report and collects them in
// blobs for deletion.
func (u *undoRun) freeOriginals() error {
	return u.ChangeReport(u.importUndo.id, func(r *ImportReport) {
		r.EachOriginal(u.importUndo.free)
		r.LetGoOfOriginals()
	})
}

// leftBehind returns a function that reports whether the conversation or the message of
// a proposal is no longer in the vault, or a memory that it would change.
func (t *importUndo) leftBehind(tx *vault.Tx) func(Proposal) bool {
	return func(p Proposal) bool {
		if p.By != "" {
			return p.Change != nil && slices.ContainsFunc(p.Change.Memories, func(id string) bool {
				return t.fates[fateKey(OfMemory, id)] == fateOut || !tx.Has(vault.Memories, id)
			})
		}
		if messages := t.shrunk[p.ConversationID]; messages != nil {
			return !messages[p.MessageID]
		}
		return t.fates[fateKey(OfConversation, p.ConversationID)] == fateOut || !tx.Has(vault.Conversations, p.ConversationID)
	}
}

// count adds the fates of all memories and conversations to the counts of r.
func (t *importUndo) count(r *ImportUndo) {
	for key, fate := range t.fates {
		kind, _, _ := strings.Cut(key, "\x00")
		switch {
		case fate == fateShared:
			r.Shared++
		case fate == fateEdited:
			r.Kept++
		case fate == fateOut && kind == string(OfMemory):
			r.Memories++
		case fate == fateOut:
			r.Conversations++
		case fate == fateBack && kind == string(OfMemory):
			r.MemoriesBack++
		case fate == fateBack:
			r.ConversationsBack++
		}
	}
}

func fateKey(kind ImageKind, id string) string { return string(kind) + "\x00" + id }

// orphans removes memories and conversations of imports that were undone earlier. Those
// undos left them in the vault only because the files of this import also held them.
func (u *undoRun) orphans() error {
	if u.importUndo.own == nil {
		return nil
	}
	conversations, memories := heldBy(u.Rows, u.importUndo.own.holding)
	for _, id := range conversations {
		if err := u.orphanConversation(id); err != nil {
			return err
		}
	}
	for _, id := range memories {
		if err := u.orphanMemory(id); err != nil {
			return err
		}
	}
	return nil
}
