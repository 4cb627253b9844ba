package imports

import (
	"errors"
	"slices"

	"keepsake/backend/core/library"
	"keepsake/backend/importer"
	"keepsake/backend/memory"
)

// maxBeside is the approximate size in bytes of a record with pieces of a MIF document.
const maxBeside = 1 << 20

// alsoSaid counts a relation that the vault already has, and stores way, the notation of
// the relation in a document, unless it is stored already (see library.SaidOf).
func (a *batchApplier) alsoSaid(rel memory.Relation, way string) error {
	ways, err := library.TextsIn(a.VaultTx, library.SaidOf(rel.ID))
	if err != nil {
		return err
	}
	if ways == nil {
		ways = []string{""}
	}
	if !slices.Contains(ways, way) {
		if may, err := a.mayRelate(rel); err != nil || !may {
			return errors.Join(err, a.refuseRelation(rel))
		}
		if err := a.PutSaid(rel.ID, append(ways, way)); err != nil {
			return err
		}
	}
	return a.leaveRelation(rel.ID)
}

// leaveRelation counts a relation that stays as it is in the vault.
func (a *batchApplier) leaveRelation(id string) error {
	a.counts.relations.Unchanged++
	a.counts.unchanged++
	return a.sawRelation(id)
}

// keepWith counts a text of a document and stores it in a record that belongs to the
// memory id. The text is an edge that is not a relation of the vault, or an id that the
// memory refers to and that no memory has.
func (a *batchApplier) keepWith(id, record, text string) error {
	texts, err := library.TextsIn(a.VaultTx, record)
	if err != nil {
		return err
	}
	// A plan stores no texts, so TextsIn lacks those of this import, but Says has them.
	here := library.KeySum(record + "\x00" + text)
	if slices.Contains(texts, text) || a.run.pieces.Says[here] != [16]byte{} {
		a.counts.here(a.run.resumed)
		return nil
	}
	if may, err := a.speaksForID(id); err != nil || !may && !a.isAgreed(id) {
		a.counts.skip(becauseNotSignedFor)
		return err
	}
	a.run.pieces.Says[here] = here
	a.counts.taken++
	return a.PutPlain(library.OfInterchange, record, a.Now, append(texts, text))
}

// found deletes id from memory's dangling references: a memory with that id exists now.
func (a *batchApplier) found(memory, how, id string) error {
	record := library.NamedBy(memory, how)
	ids, err := library.TextsIn(a.VaultTx, record)
	if err != nil || !slices.Contains(ids, id) {
		return err
	}
	if ids = slices.DeleteFunc(ids, func(one string) bool { return one == id }); len(ids) == 0 {
		return a.DropPlain(library.OfInterchange, record)
	}
	return a.PutPlain(library.OfInterchange, record, a.Now, ids)
}

// setAside counts a piece of a MIF document (a list element or member that has no place in
// PAM), and queues it to be stored at the end of the batch, unless the vault has it.
func (a *batchApplier) setAside(p library.BesidePiece) error {
	last, err := a.run.pieces.IsLast(a.VaultTx, p)
	if err != nil {
		return err
	}
	if last {
		a.counts.here(a.run.resumed)
		return nil
	}
	a.beside = append(a.beside, p)
	a.counts.taken++
	return nil
}

// here counts an item that the vault already has, as unchanged. In an import that was
// resumed, it counts as taken: this import stored it before the vault was locked.
func (t *counters) here(resumed bool) {
	if resumed {
		t.taken++
		return
	}
	t.unchanged++
}

// besides stores MIF-only data (see setAside) without references to forgotten memories.
func (a *batchApplier) besides(d *importer.BesideDraft) error {
	p := library.BesidePiece{Name: d.Name, Raw: d.Raw}
	if library.BarredReferences(a.Tx, d.Owner).ScrubPiece(&p) {
		a.counts.skip(becauseForgotten)
		return nil
	}
	return a.setAside(p)
}

// keepBeside stores the MIF data queued by setAside, in records of about maxBeside bytes.
func (a *batchApplier) keepBeside() error {
	for len(a.beside) > 0 {
		n, size := 0, 0
		for n < len(a.beside) && (n == 0 || size+len(a.beside[n].Raw) < maxBeside) {
			size += len(a.beside[n].Raw)
			n++
		}
		if err := a.PutDocumentPieces(a.beside[:n]); err != nil {
			return err
		}
		a.beside = a.beside[n:]
	}
	return nil
}
