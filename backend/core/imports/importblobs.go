package imports

import (
	"context"

	"keepsake/backend/core/library"
	"keepsake/backend/vault"
)

// madeGood deletes the setting that says that the vault lacks attachments, once it has
// every attachment again.
func (r *run) madeGood(ctx context.Context) {
	if !r.session.LacksFiles() {
		return
	}
	if whole, err := r.session.BlobsWhole(ctx); err != nil || !whole {
		return
	}
	_ = r.service.lib.Update(r.session, func(e *library.Tx) error { return e.DropSetting(library.LossID) })
}

// sealing sets a marker in the vault before the first file of an import is settled (gets
// its final name). If the import is killed, the next import finds the marker (see sweep).
func (r *run) sealing(refs []string) error {
	if r.seals || len(refs) == 0 {
		return nil
	}
	err := r.service.lib.Update(r.session, func(e *library.Tx) error { return e.Mark(r.id) })
	r.seals = err == nil
	return err
}

// sealed deletes stored files that nothing refers to, then the crash marker of sealing.
func (r *run) sealed() {
	r.service.lib.DropLoose(r.session, r.loose.left())
	if r.seals {
		_ = r.service.lib.Update(r.session, func(e *library.Tx) error { return e.Unmark() })
	}
}

// sweep deletes the attachment files that an import stored before it was killed and that
// no record refers to.
func (r *run) sweep() error {
	left := false
	err := r.session.View(func(tx *vault.Tx) error {
		left = tx.Has(vault.Settings, library.SealingID)
		return nil
	})
	if err != nil || !left {
		return err
	}
	refs, err := r.session.Vault.Blobs()
	if err != nil {
		return err
	}
	r.service.lib.DropLoose(r.session, refs)
	return r.service.lib.Update(r.session, func(e *library.Tx) error { return e.Unmark() })
}
