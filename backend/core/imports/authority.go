package imports

import (
	"slices"

	"keepsake/backend/core/documents"
	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/format/pam"
	"keepsake/backend/vault"
)

// authority is what the signature of a document allows it to change in the vault. The ids
// in a document prove nothing: every export contains them, so anybody can write them into
// a file.
type authority struct {
	own    bool     // signed by a key of the vault's owner
	signer string   // multibase of the key that signed; "" without a valid signature
	signs  []string // multibase of the signer and of the keys that it replaced
	whole  bool     // the signature covers all parts of the document, not its memories alone
}

// authorityOf derives the authority of a document from its verification report. A document
// that is broken, or that names an owner whose key did not sign it, has none.
func authorityOf(v *library.Session, r documents.VerifyReport) (a authority, err error) {
	if !r.Signed || !r.Valid {
		return a, nil
	}
	key, err := pam.ParsePublic(r.PublicKey)
	if err != nil {
		return a, nil // the key is of an unknown kind, so it signed no memory here
	}
	err = v.View(func(tx *vault.Tx) error {
		ring, err := documents.ReadKeySet(tx)
		a = authority{own: r.Verdict == documents.VerdictOwn, signer: key.Multibase(), signs: ring.Predecessors(key), whole: r.Whole}
		return err
	})
	return a, err
}

// mayChange reports whether the document may replace or retract a memory of the vault: it
// is signed by this owner, or by the key of the memory's first source. A source that
// stated the same later may not change it. side is the memory's provenance record.
func (a authority) mayChange(side rows.ProvenanceRecord) bool {
	return a.own || a.signer != "" && !side.Here && len(side.Sources) > 0 && slices.Contains(a.signs, side.Sources[0].Signer)
}

// lacks returns the reason to report if a document may not change a memory.
func (a authority) lacks() library.ConflictReason {
	if a.signer == "" {
		return library.ConflictNotSigned
	}
	return library.ConflictOtherSigner
}

// lacksMore returns the reason to report if a document may not change records other than
// memories: conversations, relations, embeddings.
func (a authority) lacksMore() library.ConflictReason {
	if a.signer != "" && !a.whole {
		return library.ConflictNotCovered
	}
	return a.lacks()
}
