package core

import (
	"context"

	"keepsake/backend/fault"
)

// undone are the changes taken back since anything else was changed, the last one
// at the end, with images of how things stood before they were taken back. They
// are held in memory: what was undone before the vault was locked stays undone.
type undone struct {
	changes []*changeHead
	at      uint64 // rows.changes after the last of them; any other change ends them
}

// keepUndone is a staged step of an undo.
func (r *rows) keepUndone(h *changeHead) {
	if r.undone.at != r.changes-1 {
		r.undone.changes = nil
	}
	r.undone.changes = append(r.undone.changes, h)
	r.undone.at = r.changes
}

// lastUndone is what Redo would do again, nil where there is nothing.
func (r *rows) lastUndone() *changeHead {
	r.mu.RLock()
	defer r.mu.RUnlock()
	n := len(r.undone.changes)
	if n == 0 || r.undone.at != r.changes {
		return nil
	}
	return r.undone.changes[n-1]
}

// dropUndone is a staged step of a redo.
func (r *rows) dropUndone() {
	r.undone.changes = r.undone.changes[:len(r.undone.changes)-1]
	r.undone.at = r.changes
}

// redoable makes of an undo what doing it again needs.
func (u *undoing) redoable() *changeHead {
	return &changeHead{Change: u.head.Change, Images: u.edit.images}
}

// Redo does again what Undo took back last, as long as nothing else was changed
// since and the vault was not locked.
func (s *Service) Redo(ctx context.Context) (Change, error) {
	var again Change
	err := s.write(ctx, func(e *edit) error {
		last := e.rows.lastUndone()
		if last == nil {
			return fault.New(fault.NotFound, "nothing-to-redo", "There is nothing to redo.")
		}
		u := undoing{edit: e, head: last, kept: map[string]bool{}, missed: map[string]bool{}}
		if err := u.back(last.Images, 0); err != nil {
			return err
		}
		head, err := e.begin(last.Kind, last.Subjects...)
		if err != nil {
			return err
		}
		if err := e.keepChange(head); err != nil {
			return err
		}
		e.stage((*rows).dropUndone)
		again = head.Change
		return e.log(actionOf(head.Kind), head.Subjects[0], len(head.Subjects))
	})
	return again, err
}
