package library

import (
	"context"

	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
)

// undone is the redo stack: the changes that were undone with no other change in between,
// newest last, each with the images (undo data) that redo restores. It is only in memory,
// so that locking the vault empties it. A caller must hold Session.writing; push and pop
// run under the lock of the rows as well.
type undone struct {
	changes []*ChangeHead
	at      uint64 // rows.Changes after the last undo or redo; if it differs now, redo is not possible
}

// push adds an undone change to the redo stack. Undo calls push through Tx.Stage, that is
// after its transaction is committed.
func (u *undone) push(h *ChangeHead, rs *rows.Rows) {
	if u.at != rs.Changes-1 {
		u.changes = nil
	}
	u.changes = append(u.changes, h)
	u.at = rs.Changes
}

// last returns the change that Redo would restore, nil if there is none.
func (u *undone) last(rs *rows.Rows) *ChangeHead {
	rs.RLock()
	defer rs.RUnlock()
	n := len(u.changes)
	if n == 0 || u.at != rs.Changes {
		return nil
	}
	return u.changes[n-1]
}

// pop removes the newest change from the redo stack. Redo stages this call (Tx.Stage).
func (u *undone) pop(rs *rows.Rows) {
	u.changes = u.changes[:len(u.changes)-1]
	u.at = rs.Changes
}

// redoable returns the redo stack's entry for this undo: the undone change, with the images
// that the undo itself recorded.
func (u *undoRun) redoable() *ChangeHead {
	return &ChangeHead{Change: u.head.Change, Images: u.Tx.Images}
}

// Redo restores the change that Undo undid last. It is possible as long as nothing else was
// changed since and the vault was not locked.
func (s *Service) Redo(ctx context.Context) (Change, error) {
	var again Change
	err := s.lib.Write(ctx, func(e *Tx) error {
		last := e.undone.last(e.Rows)
		if last == nil {
			return fault.New(fault.NotFound, "nothing-to-redo", "There is nothing to redo.")
		}
		u := undoRun{Tx: e, head: last, kept: map[string]bool{}, missed: map[string]bool{}}
		if err := u.back(last.Images, 0); err != nil {
			return err
		}
		head, err := e.Begin(last.Kind, last.Subjects...)
		if err != nil {
			return err
		}
		if err := e.keepChange(head); err != nil {
			return err
		}
		e.Stage(e.undone.pop)
		again = head.Change
		return e.Log(actionOf(head.Kind), head.Subjects[0], len(head.Subjects))
	})
	return again, err
}
