package imports

import (
	"slices"

	"keepsake/backend/core/documents"
	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// authority is what the signature of a document allows it to change of what the
// vault already has. The ids in a document allow nothing: they leave with every
// export, and anybody can write them into a file.
type authority struct {
	own    bool     // signed by a key of this owner
	signer string   // multibase of the key that signed; "" where no signature holds
	signs  []string // multibase of the signer and of the keys that it took the place of
	whole  bool     // the signature covers all parts of the document, not its memories alone
}

// authorityOf reads the authority of a document off its verification. A document
// that is broken, or that names an owner whose key did not sign it, has none.
func authorityOf(v *library.Session, r documents.VerifyReport) (a authority, err error) {
	if !r.Signed || !r.Valid {
		return a, nil
	}
	key, err := pam.ParsePublic(r.PublicKey)
	if err != nil {
		return a, nil // a key of another kind signed, which no source has
	}
	err = v.Vault.View(func(tx *vault.Tx) error {
		ring, err := documents.ReadKeySet(tx)
		a = authority{own: r.Verdict == documents.VerdictOwn, signer: key.Multibase(), signs: ring.Predecessors(key), whole: r.Whole}
		return err
	})
	return a, err
}

// mayChange reports whether the document may replace or retract a memory of the
// vault: it is signed by this owner, or by the key of the source that the memory
// came from. That is the first source: one that said the same later on has no say.
func (a authority) mayChange(side rows.ProvenanceRecord) bool {
	return a.own || a.signer != "" && !side.Here && len(side.Sources) > 0 && slices.Contains(a.signs, side.Sources[0].Signer)
}

// speaksFor reports whether the document may add to a memory what its signature
// does not cover when it covers the memories only (PAM §18.3): relations, vectors,
// counts of use. It may where the memory came with this very import.
func (a *applying) speaksFor(m rows.StoredMemory) bool {
	signed := a.batch.group.authority
	return a.isOwn(m.Side) || signed.whole && signed.mayChange(m.Side)
}

// speaksForID is speaksFor of a memory by its id.
func (a *applying) speaksForID(id string) (bool, error) {
	m, ok, err := a.Load(id)
	return ok && a.speaksFor(m), err
}

// mayReplace reports whether this import may replace a conversation of the vault.
// An export of a provider may: its conversations are told apart by platform and
// account. A document may where its signature covers its conversations, and is of
// this owner or of whoever signed the document that the conversation came from.
func (a *applying) mayReplace(old vault.ConversationHead) (bool, error) {
	if !a.batch.group.isDocument() {
		return true, nil
	}
	signed := a.batch.group.authority
	if signed.own || !signed.whole {
		return signed.whole, nil
	}
	signer, err := a.signerOf(old.ImportID)
	return signer != "" && slices.Contains(signed.signs, signer), err
}

// signerOf is the key that signed every document of an earlier import, as
// multibase; "" where there was none, or not one alone. Many conversations come from
// one import, whose report may be long: it is read once a batch.
func (a *applying) signerOf(importID string) (string, error) {
	if signer, ok := a.signers[importID]; ok {
		return signer, nil
	}
	signer, err := a.readSigner(importID)
	if err != nil {
		return "", err
	}
	if a.signers == nil {
		a.signers = map[string]string{}
	}
	a.signers[importID] = signer
	return signer, nil
}

func (a *applying) readSigner(importID string) (string, error) {
	text, err := a.VaultTx.Find(vault.Imports, importID)
	if err != nil || text == nil {
		return "", err
	}
	report, err := library.DecodeReport(text)
	if err != nil || len(report.Sources) == 0 {
		return "", err
	}
	signer := report.Sources[0].Signer
	for _, s := range report.Sources {
		if s.Signer != signer {
			return "", nil
		}
	}
	return signer, nil
}

// keepAccess takes back what a document would open up of a memory of the vault.
// Access never widens by an import, unless the person said so of this memory.
func (a *applying) keepAccess(x *meeting) {
	if a.isTaken(x) || !x.theirs.Access.Wider(x.m.Access) {
		return
	}
	wider := x.theirs.Access
	x.theirs.Access = memory.Narrowest(x.m.Access, wider)
	open := x.m.Record
	open.Access = wider
	a.tell(memoryChange(x.m.Record, open, x.d.ID, library.ConflictAccessWider))
}

// lacks is why a document may not change a memory.
func (a authority) lacks() library.ConflictReason {
	if a.signer == "" {
		return library.ConflictNotSigned
	}
	return library.ConflictOtherSigner
}

// lacksMore is why a document may not add to a memory what lies outside of it.
func (a authority) lacksMore() library.ConflictReason {
	if a.signer != "" && !a.whole {
		return library.ConflictNotCovered
	}
	return a.lacks()
}

// isAgreed reports that the person said that what a document has goes before what is
// here: of all of it, or of one of these ids.
func (a *applying) isAgreed(ids ...string) bool {
	o := &a.run.options
	return o.OnConflict == library.TakeTheirs || o.MergeAs(a.batch.info.ID) == library.Overwrite || slices.ContainsFunc(ids, o.Takes)
}
