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
