package library

import (
	"fmt"

	"keepsake/backend/core/rows"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// Records that the packages of core keep beside memories and conversations. Only this
// package writes through vault.Tx, so each kind has its method here; scripts/structure
// holds that.

// PutSetting stores something that the vault keeps one of: rules, limits, views.
func (e *Tx) PutSetting(id string, value any) error {
	return e.put(vault.Settings, id, e.Now, value)
}

// DropSetting takes it away.
func (e *Tx) DropSetting(id string) error { return e.VaultTx.Delete(vault.Settings, id) }

// PutSighting stores what an import has seen in its files.
func (e *Tx) PutSighting(s Sighting) error {
	if err := e.PutSetting(SightingID(s.ImportID), s); err != nil {
		return err
	}
	e.Stage(func(rs *rows.Rows) { rs.Sightings++ })
	return nil
}

// PutExport stores the record of an export.
func (e *Tx) PutExport(id string, at memory.Time, export any) error {
	return wrap(e.put(vault.Exports, id, at, export), "store export")
}

// DropExport takes the record of an export away.
func (e *Tx) DropExport(id string) error {
	return wrap(e.VaultTx.Delete(vault.Exports, id), "drop export")
}

// PutKey stores the record of a signing key, which the caller clears: it may hold a seed.
func (e *Tx) PutKey(id string, created memory.Time, record []byte) error {
	return wrap(e.VaultTx.Put(vault.Keys, id, created.Time, record), "store signing key")
}

// DropKey takes the record of a signing key away.
func (e *Tx) DropKey(id string) error { return e.VaultTx.Delete(vault.Keys, id) }

// LinkProposal notes that something was proposed, under a name that it is known by.
func (e *Tx) LinkProposal(name string) error {
	return wrap(e.VaultTx.Link(vault.Proposals, name, ""), "link proposal")
}

// PutDocumentPieces stores pieces of documents in a record of their own.
func (e *Tx) PutDocumentPieces(pieces []BesidePiece) error {
	id := fmt.Sprintf("%s%d", DocumentPrefix, e.VaultTx.Next(vault.Interchange))
	return e.PutPlain(OfInterchange, id, e.Now, pieces)
}

// Direct lets the transaction go to the data file and not through the journal.
func (e *Tx) Direct() error { return e.VaultTx.Direct() }

// PutOwner stores the owner of a new vault, and the key that signs for them.
func PutOwner(v *vault.Vault, who Owner, keyID string, key []byte) error {
	return v.Update(func(tx *vault.Tx) error {
		e := &Tx{VaultTx: tx, Now: who.CreatedAt}
		if err := e.PutSetting(OwnerID, who); err != nil {
			return err
		}
		return e.PutKey(keyID, who.CreatedAt, key)
	})
}

// OwnerID is the id of the record of the owner, among the settings.
const OwnerID = "owner"

// PutReport stores the report of an import and tells the rows whether it broke off.
func (e *Tx) PutReport(report ImportReport) error {
	// texts of memories are stored in one place only; Open is computed when it is read
	report.Changes, report.Open = nil, false
	if err := e.put(vault.Imports, report.ImportID, report.StartedAt, report); err != nil {
		return fmt.Errorf("store report: %w", err)
	}
	e.Stage(func(rs *rows.Rows) { rs.SetUnfinished(report.ImportID, report.Unfinished) })
	return nil
}

// markUndone notes on an import's report that it was taken back, markUndoing that
// it is being taken back.
func (e *Tx) markUndone(importID string) error {
	return e.ChangeReport(importID, func(r *ImportReport) { r.State, r.UndoneAt, r.Unfinished = "undone", e.Now, false })
}

func (e *Tx) markUndoing(importID string) error {
	return e.ChangeReport(importID, func(r *ImportReport) { r.State, r.Unfinished = "undoing", true })
}

// ChangeReport changes a stored report; there may be none.
func (e *Tx) ChangeReport(importID string, change func(*ImportReport)) error {
	var report ImportReport
	found, err := rows.FindJSON(e.VaultTx, vault.Imports, importID, "report", &report)
	if err != nil || !found {
		return err
	}
	change(&report)
	return e.PutReport(report)
}
