package library

import (
	"fmt"

	"keepsake/backend/core/rows"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// The methods below write the records that other packages of core define, such as exports
// and signing keys: only this package may write through vault.Tx (scripts/structure
// checks that).

// PutSetting stores a value, such as the hand-off rules, compaction limits or saved
// views, under an id, and replaces an earlier value with that id.
func (e *Tx) PutSetting(id string, value any) error {
	return e.put(vault.Settings, id, e.Now, value)
}

// DropSetting deletes a setting.
func (e *Tx) DropSetting(id string) error { return e.VaultTx.Delete(vault.Settings, id) }

// PutSighting stores the sighting of an import: which records its files held.
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

// DropExport deletes the record of an export.
func (e *Tx) DropExport(id string) error {
	return wrap(e.VaultTx.Delete(vault.Exports, id), "drop export")
}

// PutKey stores the record of a signing key. The record may hold a private seed, so the
// caller must zero it afterwards.
func (e *Tx) PutKey(id string, created memory.Time, record []byte) error {
	return wrap(e.VaultTx.Put(vault.Keys, id, created.Time, record), "store signing key")
}

// DropKey deletes the record of a signing key.
func (e *Tx) DropKey(id string) error { return e.VaultTx.Delete(vault.Keys, id) }

// LinkProposal stores a lookup name that marks something as already proposed, so that it
// is not proposed again.
func (e *Tx) LinkProposal(name string) error {
	return wrap(e.VaultTx.Link(vault.Proposals, name, ""), "link proposal")
}

// PutDocumentPieces stores, in one new record (see DocumentPrefix), the pieces of imported
// documents that are neither memories nor tasks.
func (e *Tx) PutDocumentPieces(pieces []BesidePiece) error {
	id := fmt.Sprintf("%s%d", DocumentPrefix, e.VaultTx.Next(vault.Interchange))
	return e.PutPlain(OfInterchange, id, e.Now, pieces)
}

// PutCircle stores the record of a circle, under its entity.
func (e *Tx) PutCircle(entity string, circle any) error {
	return e.PutPlain(OfCircle, entity, e.Now, circle)
}

// DropCircle deletes the record of a circle; one without a record stays as it is.
func (e *Tx) DropCircle(entity string) error { return e.DropPlain(OfCircle, entity) }

// PutAgentCall stores what an agent asked for, under a number of its own.
func (e *Tx) PutAgentCall(id string, call any) error {
	return wrap(e.put(vault.AgentCalls, id, e.Now, call), "store call of an agent")
}

// DropAgentCall deletes a stored call, if it exists.
func (e *Tx) DropAgentCall(id string) error {
	if !e.VaultTx.Has(vault.AgentCalls, id) {
		return nil
	}
	return wrap(e.VaultTx.Delete(vault.AgentCalls, id), "delete call of an agent")
}

// Direct makes the transaction write to the data file, not to the journal. Imports use it
// for batches of many small records, which are too much for the journal.
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

// OwnerID is the id of the setting (see PutSetting) that holds the owner of the vault.
const OwnerID = "owner"

// PutReport stores an import's report, and notes in the rows whether it is unfinished.
func (e *Tx) PutReport(report ImportReport) error {
	// Changes hold texts of memories, which no other record may store; Open is computed
	report.Changes, report.Open = nil, false
	if err := e.put(vault.Imports, report.ImportID, report.StartedAt, report); err != nil {
		return fmt.Errorf("store report: %w", err)
	}
	e.Stage(func(rs *rows.Rows) { rs.SetUnfinished(report.ImportID, report.Unfinished) })
	return nil
}

// markUndone sets in an import's report that the import was undone; markUndoing sets that
// its undo has begun and is not complete.
func (e *Tx) markUndone(importID string) error {
	return e.ChangeReport(importID, func(r *ImportReport) { r.State, r.UndoneAt, r.Unfinished = "undone", e.Now, false })
}

func (e *Tx) markUndoing(importID string) error {
	return e.ChangeReport(importID, func(r *ImportReport) { r.State, r.Unfinished = "undoing", true })
}

// ChangeReport changes a stored report; if there is none, it does nothing.
func (e *Tx) ChangeReport(importID string, change func(*ImportReport)) error {
	var report ImportReport
	found, err := rows.FindJSON(e.VaultTx, vault.Imports, importID, "report", &report)
	if err != nil || !found {
		return err
	}
	change(&report)
	return e.PutReport(report)
}
