package core

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// Undo takes back the last change, of whatever kind. Redo does it again.
func (s *Service) Undo(ctx context.Context) (Change, error) {
	return s.undo(ctx, newest)
}

// UndoImport takes back one import, however much came after it. What was
// changed since stays as it is and is counted in Kept.
func (s *Service) UndoImport(ctx context.Context, id string) (Change, error) {
	return s.undo(ctx, func(tx *vault.Tx) (*changeHead, error) {
		if !tx.Has(vault.Imports, id) {
			return nil, errNoImport(id)
		}
		h, err := changeOf(tx, id)
		if err == nil && h == nil {
			err = fault.New(fault.Conflict, "import-not-undoable", "There is nothing of this import to take back.").
				Advise("It changed nothing, was taken back already, or lies further back than undo reaches.")
		}
		return h, err
	})
}

// changeOf finds the change that an import made, nil when it changed nothing
// or is too old to be undone.
func changeOf(tx *vault.Tx, importID string) (*changeHead, error) {
	st, err := readStack(tx)
	if err != nil {
		return nil, err
	}
	for seq := st.Last; seq >= st.First && seq > 0; seq-- {
		h, err := readHead(tx, seq)
		if err != nil {
			return nil, err
		}
		if h != nil && h.Kind == "import" && h.Subjects[0] == importID {
			return h, nil
		}
	}
	return nil, nil
}

func (s *Service) undo(ctx context.Context, find func(*vault.Tx) (*changeHead, error)) (Change, error) {
	var u undoing
	err := s.write(ctx, func(e *edit) error {
		h, err := find(e.tx)
		if err != nil {
			return err
		}
		if h == nil {
			return errNothingToUndo()
		}
		if s.importing(h) {
			return fault.New(fault.Busy, "import-running", "This import is still running.").
				Advise("Stop it first, or wait until it has finished.")
		}
		u = undoing{edit: e, head: h, kept: map[string]bool{}, missed: map[string]bool{}}
		if err := u.run(); err != nil {
			return err
		}
		again := u.redoable()
		e.stage(func(rs *rows) { rs.keepUndone(again) })
		return nil
	})
	if err != nil {
		return Change{}, err
	}
	s.dropBlobs(ctx, u.blobs)
	change := u.head.Change
	change.Kept = len(u.kept)
	return change, nil
}

// undoing puts images back, the last one first.
type undoing struct {
	*edit
	head   *changeHead
	kept   map[string]bool // things left alone, because they changed since
	missed map[string]bool // things seen already, so judged already
	blobs  []string        // files that nothing may need any more
}

func (u *undoing) run() error {
	if err := u.back(u.head.Images, 0); err != nil {
		return err
	}
	for part := u.head.Parts; part > 0; part-- {
		images, err := readPart(u.tx, u.head.Seq, part)
		if err != nil {
			return err
		}
		if err := u.back(images, part); err != nil {
			return err
		}
	}
	if err := u.discard(u.head.Seq); err != nil {
		return err
	}
	if err := u.log(logUpdate, u.head.ID, 1); err != nil {
		return err
	}
	if u.head.Kind != "import" {
		return nil
	}
	if err := u.dropProposals(func(p Proposal) bool { return !u.tx.Has(vault.Conversations, p.ConversationID) }); err != nil {
		return err
	}
	return u.markUndone(u.head.Subjects[0])
}

func (u *undoing) back(images []*image, part int) error {
	for i := len(images) - 1; i >= 0; i-- { // first, because putting a memory back may take its embedding along
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

func (u *undoing) one(im *image, part int) error {
	switch im.Kind {
	case ofMemory:
		if changed, err := u.changedSince(im, vault.Memories); changed || err != nil {
			return err
		}
		return u.restoreMemory(im)
	case ofRelation:
		if changed, err := u.changedSince(im, vault.Relations); changed || err != nil {
			return err
		}
		return u.restoreRelation(im)
	case ofEmbedding:
		if changed, err := u.changedSince(im, vault.Embeddings); changed || err != nil || u.kept[string(ofMemory)+im.ID] {
			return err
		}
		return u.restoreEmbedding(im)
	case ofConversation:
		return u.restoreConversation(im, part)
	case ofRetraction:
		return u.tx.Unlink(vault.Memories, im.ID)
	case ofBlob:
		u.blobs = append(u.blobs, im.ID)
	case ofProposal:
		return u.restoreProposal(im)
	}
	return nil
}

// judge notes of a memory, or of its embedding, whether it changed since.
func (u *undoing) judge(im *image) (err error) {
	switch im.Kind {
	case ofMemory:
		_, err = u.changedSince(im, vault.Memories)
	case ofEmbedding:
		_, err = u.changedSince(im, vault.Embeddings)
	}
	return err
}

// changedSince judges a thing by the last image of it: what is there now must
// be what the change left.
func (u *undoing) changedSince(im *image, c vault.Collection) (bool, error) {
	key := string(im.Kind) + im.ID
	if !u.missed[key] {
		u.missed[key] = true
		now, err := get(u.tx, c, im.ID)
		if err != nil {
			return false, err
		}
		if !bytes.Equal(sum(now), im.After) {
			u.kept[key] = true
		}
	}
	return u.kept[key], nil
}

func (u *undoing) restoreMemory(im *image) error {
	if im.Before == nil {
		return u.removeMemory(im.ID)
	}
	r, err := pam.DecodeMemory(im.Before)
	if err != nil {
		return err
	}
	side, err := decodeSide(im.Side)
	if err != nil {
		return err
	}
	return u.putMemory(r, side)
}

// removeMemory takes back a memory together with relations that were made to
// it since, so that none of them leads nowhere.
func (u *undoing) removeMemory(id string) error {
	for _, rel := range u.rows.touchingOf(id) {
		if u.tx.Has(vault.Relations, rel) {
			if err := u.dropRelation(rel); err != nil {
				return err
			}
		}
	}
	if err := u.rememberMemory(id); err != nil {
		return err
	}
	return u.dropMemory(id)
}

// rememberMemory keeps a memory that is about to go, so that it can come back.
func (u *undoing) rememberMemory(id string) error {
	im, err := u.remember(ofMemory, id, func(im *image) error {
		m, _, err := load(u.tx, id)
		im.Before, im.Side = m.bytes, m.beside
		return err
	})
	if err == nil {
		im.After = nil
	}
	return err
}

func (u *undoing) restoreRelation(im *image) error {
	if im.Before == nil {
		return u.dropRelation(im.ID)
	}
	var rel memory.Relation
	if err := json.Unmarshal(im.Before, &rel); err != nil {
		return fmt.Errorf("read relation: %w", err)
	}
	return u.putRelation(rel)
}

// restoreConversation puts the older graph back, or removes a conversation
// that was new. One that a later import has replaced stays.
func (u *undoing) restoreConversation(im *image, part int) error {
	head, err := u.tx.ConversationHead(im.ID)
	if fault.CodeOf(err) == fault.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	if head.ImportID != u.head.Subjects[0] {
		u.kept[string(im.Kind)+im.ID] = true
		return nil
	}
	for m, err := range u.tx.Messages(im.ID) { // what it names may be named by nothing soon
		if err != nil {
			return err
		}
		named(&m, func(ref string) { u.blobs = append(u.blobs, ref) })
	}
	if im.Pieces == 0 {
		return u.dropConversation(im.ID)
	}
	return u.putBackConversation(im, part)
}
