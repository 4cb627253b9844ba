package imports

import (
	"slices"

	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// speaksFor reports whether the document may add relations, embeddings and use counts to
// a memory. A signature that covers only the memories (PAM §18.3) does not allow that. It
// is allowed if this import brought the memory, or if the signature covers the whole
// document and its signer may change the memory.
func (a *batchApplier) speaksFor(m rows.StoredMemory) bool {
	signed := a.batch.group.authority
	return a.isOwn(m.Side) || signed.whole && signed.mayChange(m.Side)
}

// speaksForID is speaksFor for the memory with this id.
func (a *batchApplier) speaksForID(id string) (bool, error) {
	m, ok, err := a.Load(id)
	return ok && a.speaksFor(m), err
}

// mayReplace reports whether this import may replace a conversation of the vault. A
// provider's export may, because conversations of other platforms and accounts have other
// ids. A document may if its signature covers its conversations, and was made by the
// vault's owner or by the signer of the document that the conversation came from.
func (a *batchApplier) mayReplace(old vault.ConversationHead) (bool, error) {
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

// signerOf returns the key that signed all documents of an earlier import, as multibase;
// "" if there is no such key. The result is cached per batch, because many conversations
// come from one import, and its report may be long.
func (a *batchApplier) signerOf(importID string) (string, error) {
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

func (a *batchApplier) readSigner(importID string) (string, error) {
	text, err := a.VaultTx.Find(vault.Imports, importID)
	if err != nil || text == nil {
		return "", err
	}
	report, err := rows.DecodeJSON[library.ImportReport](text, "report")
	if err != nil || len(report.Sources) == 0 {
		return "", err
	}
	signer := report.Sources[0].Signer
	if slices.ContainsFunc(report.Sources, func(s library.ReportSource) bool { return s.Signer != signer }) {
		return "", nil
	}
	return signer, nil
}

// keepAccess limits the access (visibility and grants) in the document's version to that
// of the stored memory, and reports the difference. An import never widens access, unless
// the person chose the document's version of this memory.
func (a *batchApplier) keepAccess(x *recordConflict) {
	if a.isTaken(x) || !x.theirs.Access.Wider(x.m.Access) {
		return
	}
	wider := x.theirs.Access
	x.theirs.Access = memory.Narrowest(x.m.Access, wider)
	open := x.m.Record
	open.Access = wider
	a.tell(memoryChange(x.m.Record, open, x.d.ID, library.ConflictAccessWider))
}

// isAgreed reports whether the person chose the document's version over the stored one,
// either for everything or for one of these ids.
func (a *batchApplier) isAgreed(ids ...string) bool {
	o := &a.run.options
	return o.OnConflict == library.TakeTheirs || o.MergeAs(a.batch.info.ID) == library.Overwrite || slices.ContainsFunc(ids, o.Takes)
}

// unconfirmed lists the entities that a document shares a new memory with. They may be circles of
// this vault, and an id is no authority: only what this owner signed puts a memory into one.
func (a *batchApplier) unconfirmed(access *memory.Access) (entities []string) {
	if access == nil || a.batch.group.authority.own {
		return nil
	}
	for _, g := range access.SharedWith {
		entities = append(entities, g.Entity)
	}
	if access.Visibility == memory.Public {
		entities = append(entities, rows.Everybody)
	}
	return entities
}

// isForeignReview reports whether the review that a memory of a document tells of is not the
// person's own.
func (a *batchApplier) isForeignReview(r memory.Record) bool {
	return !a.batch.group.authority.own && !r.Reviewed().IsZero()
}

// isForeignAsked reports whether somebody else noted in a document that they asked platforms to
// forget a memory.
func (a *batchApplier) isForeignAsked(r memory.Record) bool {
	return !a.batch.group.authority.own && r.HasAsked()
}

// keepReview lets what the person said of a memory outlive a version of somebody else: the review,
// as long as the content stays, the chapter, and which platforms were asked to forget it.
func (a *batchApplier) keepReview(x *recordConflict) {
	if a.batch.group.authority.own {
		x.m.Side.ForeignReview, x.m.Side.ForeignAsked = false, false
		return
	}
	x.m.Side.ForeignReview = x.m.Side.ForeignReview || a.isForeignReview(x.theirs) && x.m.Reviewed().IsZero()
	x.m.Side.ForeignAsked = x.m.Side.ForeignAsked || a.isForeignAsked(x.theirs) && !x.m.HasAsked()
	x.theirs.KeepReview(x.m.Record)
}
