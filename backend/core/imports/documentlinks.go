package imports

import (
	"cmp"
	"errors"
	"fmt"

	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/format/mif"
	"keepsake/backend/format/pam"
	"keepsake/backend/importer"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// documents handles the items of a document that connect several memories: it resolves
// superseded_by, and stores the next batch of relations.
func (a *batchApplier) documents(waiting late) error {
	for _, s := range waiting.successors {
		if err := a.succeed(s); err != nil {
			return err
		}
	}
	relations, err := a.run.relations.next()
	if err != nil {
		return err
	}
	drawn := a.DrawnRelations() // added relations that are not in the rows yet → their ids
	for _, d := range relations {
		if err := a.spare(item{relation: d}, a.relation(d, drawn)); err != nil {
			return err
		}
	}
	return nil
}

// succeed sets superseded_by of a memory to the id that its successor has in this vault.
func (a *batchApplier) succeed(s successor) error {
	by := a.byOrigin(s.owner, s.by)
	if by == "" || by == s.by {
		return nil
	}
	m, ok, err := a.Load(s.id)
	if err != nil || !ok || m.Temporal.SupersededBy != s.by || by == s.id {
		return err
	}
	m.Temporal.SupersededBy = by
	return a.PutMemory(m.Record, m.Side)
}

// relation stores a document's relation between the memories that d.From and d.To name.
func (a *batchApplier) relation(d *importer.RelationDraft, drawn map[library.Triple]string) error {
	if d.Between != nil {
		return a.between(d, drawn)
	}
	rel := d.Relation
	rel.From, rel.To = a.byOrigin(d.Owner, d.From), a.byOrigin(d.Owner, d.To)
	if done, err := a.looseRelation(rel, d); done || err != nil {
		return err
	}
	kept, gone := library.BarredReferences(a.Tx, d.Owner).ScrubJSON(d.Kept, true)
	if gone {
		kept = ""
	}
	if mif.IsLink(d.Kept) {
		if err := a.found(rel.From, d.Kept, d.To); err != nil {
			return err
		}
	}
	return a.connect(rel, kept, drawn)
}

// connect stores a relation. If the vault already has it, connect only adds way, the text
// by which the document expresses it.
func (a *batchApplier) connect(rel memory.Relation, way string, drawn map[library.Triple]string) error {
	there, exists := a.Rows.Relation(rel.From, rel.Type, rel.To)
	if now := drawn[library.Triple{From: rel.From, To: rel.To, Kind: rel.Type}]; now != "" {
		there.ID, exists = now, true
	}
	if exists {
		rel.ID = there.ID
		return a.alsoSaid(rel, way)
	}
	return a.newRelation(rel, way, drawn)
}

// looseRelation handles a relation that does not connect two memories of the vault: it is
// stored as the document has it, or skipped. done is false for any other relation.
func (a *batchApplier) looseRelation(rel memory.Relation, d *importer.RelationDraft) (done bool, err error) {
	barred := library.BarredReferences(a.Tx, d.Owner)
	isLoose := d.Loose != "" && (rel.From == "" || rel.To == "" || rel.From == rel.To || rel.CreatedAt.IsZero())
	loose, gone := d.Loose, rel.From == "" && barred(d.From) || rel.To == "" && barred(d.To)
	if isLoose && !gone {
		loose, gone = barred.ScrubJSON(d.Loose, true)
	}
	with := cmp.Or(rel.From, rel.To)
	switch {
	case gone:
		a.counts.skip(becauseForgotten)
	case isLoose && (with == "" || rel.CreatedAt.IsZero()): // into a shared record: untimed edges can be many
		return true, a.setAside(library.BesidePiece{Name: mif.Edges, Raw: loose})
	case isLoose:
		return true, a.keepWith(with, library.EdgesOf(with), loose)
	case rel.From != "" && (rel.To == "" || rel.To == rel.From) && mif.IsLink(d.Kept):
		return true, a.keepWith(rel.From, library.NamedBy(rel.From, d.Kept), d.To)
	case rel.From == "" || rel.To == "":
		a.counts.skip(becauseNoMemory)
	case rel.From == rel.To:
		a.counts.skip(becauseToItself)
	default:
		return false, nil
	}
	return true, nil
}

// newRelation stores a relation, if the document may add it (see mayRelate). If not, it
// counts the relation as skipped and reports it.
func (a *batchApplier) newRelation(rel memory.Relation, kept string, drawn map[library.Triple]string) error {
	if may, err := a.mayRelate(rel); err != nil || !may {
		return errors.Join(err, a.refuseRelation(rel))
	}
	if len(rel.ID) > library.MaxForeignID || a.VaultTx.Has(vault.Relations, rel.ID) {
		rel.ID = a.NewID()
	}
	rel.CreatedAt = memory.At(rel.CreatedAt.Time)
	if err := a.PutRelation(rel); err != nil {
		return fmt.Errorf("take relation: %w", err)
	}
	drawn[library.Triple{From: rel.From, To: rel.To, Kind: rel.Type}] = rel.ID
	if kept != "" {
		if err := a.PutSaid(rel.ID, []string{kept}); err != nil {
			return err
		}
	}
	a.counts.relations.New++
	a.counts.taken++
	return a.sawRelation(rel.ID)
}

// mayRelate reports whether the document may add a relation. It needs authority over one
// of the two memories, and for supersedes over the superseded one: the next export puts
// the owner's signature on every relation. A provider's export may always add its
// relations.
func (a *batchApplier) mayRelate(rel memory.Relation) (bool, error) {
	if !a.batch.group.isDocument() || a.isAgreed(rel.ID, rel.From, rel.To) {
		return true, nil
	}
	if may, err := a.speaksForID(rel.To); may || err != nil || rel.Type == memory.Supersedes {
		return may, err
	}
	return a.speaksForID(rel.From)
}

// refuseRelation counts a relation that the document may not add, and reports it.
func (a *batchApplier) refuseRelation(rel memory.Relation) error {
	a.tell(library.ImportChange{Kind: library.ChangedRelation, ID: rel.From, Why: a.batch.group.authority.lacksMore(),
		Fields: []library.ChangedField{{Path: "/relations/" + string(rel.Type), After: rel.To}}})
	a.counts.skip(becauseNotSignedFor)
	return nil
}

// embedding stores the vector of a memory that this import stored or found, if the memory
// still has the text that the vector was made from. A newer stored vector stays.
func (a *batchApplier) embedding(d *importer.EmbeddingDraft) error {
	id := a.byOrigin(d.Owner, d.MemoryID)
	m, ok, err := a.Load(id)
	if err != nil {
		return err
	}
	if !ok || a.run.late.embedded[library.KeySum(rows.OriginOf(d.Owner, d.MemoryID))] != library.KeySum(m.ContentHash) {
		a.counts.skip(becauseNothingEmbedded)
		return nil
	}
	x := pam.Embedding{ID: d.ID, MemoryID: id, Model: d.Model, Dimensions: d.Dimensions, CreatedAt: memory.At(d.CreatedAt.Time), Vector: d.Vector}
	if d.StorageRef != "" {
		x.Storage = &pam.EmbeddingStorage{Type: d.StorageType, Ref: d.StorageRef}
	}
	old, err := a.EmbeddingOf(id)
	if err != nil {
		return err
	}
	mark, err := library.MarkOf(x)
	if err != nil {
		return err
	}
	if old.CreatedAt.Compare(x.CreatedAt) > 0 || old == mark && !a.run.resumed {
		a.counts.unchanged++
		return nil
	}
	if !a.speaksFor(m) && !a.isAgreed(id, d.MemoryID) {
		a.tell(library.ImportChange{Kind: library.ChangedEmbedding, ID: id, Why: a.batch.group.authority.lacksMore(),
			Fields: []library.ChangedField{{Path: "/embedding/model", After: library.Cut(d.Model, maxChangedText)}}})
		a.counts.skip(becauseNotSignedFor)
		return nil
	}
	if err := a.PutEmbedding(id, x); err != nil {
		return err
	}
	a.counts.taken++
	return nil
}
