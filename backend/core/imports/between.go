package imports

import (
	"github.com/google/uuid"

	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/importer"
	"keepsake/backend/memory"
)

// relationEnds maps the things that an export's relations connect, by a hash (KeySum) of
// their names, to the first memory about each. An entry takes 32 bytes, and more if the
// id of the memory is not a UUID.
type relationEnds struct {
	ids map[[16]byte]uuid.UUID // uuid.Nil: the id is in odd, or the memory was forgotten or deleted
	odd map[[16]byte]string
}

// put sets the memory that relations use in place of a thing; "" if deleted or forgotten.
func (r *relationEnds) put(key [16]byte, id string) {
	if r.ids == nil {
		r.ids, r.odd = map[[16]byte]uuid.UUID{}, map[[16]byte]string{}
	}
	u, ok := rows.AsUUID(id)
	if r.ids[key] = u; !ok && id != "" {
		r.odd[key] = id
	}
}

// of returns the id of the memory that stands for a thing at an end of a relation, "" if
// it was forgotten or deleted. known is false if no statement is about the thing.
func (r *relationEnds) of(key [16]byte) (id string, known bool) {
	u, known := r.ids[key]
	if u != uuid.Nil {
		return u.String(), known
	}
	return r.odd[key], known
}

// isAbout makes relations use the memory of a new statement in place of the thing that
// the statement is about (d.Entity), unless an earlier statement is about the same thing.
// If the memory of that earlier statement was forgotten or deleted, they use no other.
func (a *batchApplier) isAbout(d *importer.MemoryDraft) {
	if d.Entity == "" {
		return
	}
	key := library.KeySum(d.Entity)
	if _, known := a.run.relations.ends.of(key); known {
		return
	}
	if library.IsForgottenText(a.Tx, d.Content) {
		a.run.relations.ends.put(key, "")
		return
	}
	id, ok := a.Linked(rows.BySource(a.batch.info.Platform, d.SourceKey))
	if !ok {
		id, ok = a.Linked(rows.ByContent(memory.ContentHash(d.Content)))
	}
	if !ok { // the statement was not stored as a memory
		return
	}
	if !a.Has(id) {
		id = ""
	}
	a.run.relations.ends.put(key, id)
}

// between adds a relation between the first memories about two things. If a thing has
// none, or both have the same, it imports the relation's fallback sentence as a memory.
func (a *batchApplier) between(d *importer.RelationDraft, drawn map[library.Triple]string) error {
	b := d.Between
	from, hasFrom := a.run.relations.ends.of(library.KeySum(b.From))
	to, hasTo := a.run.relations.ends.of(library.KeySum(b.To))
	switch {
	case hasFrom && from == "", hasTo && to == "", library.IsForgottenText(a.Tx, b.Otherwise.Content):
		a.counts.skip(becauseForgotten) // importing the relation as a sentence would restore a forgotten text
		return nil
	case !hasFrom, !hasTo, from == to:
		b.Otherwise.File = b.File
		before, late := a.counts.memories, len(a.run.late.reworded)
		defer func() { a.run.outcome.show(a, item{memory: &b.Otherwise}, before, late) }()
		return a.memory(&b.Otherwise)
	}
	key, err := statementKey(a.Tx, a.batch.info.Platform, "relation:"+importer.Digest(b.From, string(d.Type), b.To), b.Otherwise.PlatformUserID)
	if err != nil {
		return err
	}
	rel := memory.Relation{ID: relationID(a.batch.info.Platform, key), From: from, To: to, Type: d.Type, CreatedAt: a.Now}
	word := library.RelationWord{Label: b.Word}.Encode()
	switch there, ok := a.Rows.RelationWithID(rel.ID); {
	case !ok:
		return a.connect(rel, word, drawn)
	case there.Type == rel.Type: // an earlier import added it; its ends may have changed since
		return a.alsoSaid(there, word)
	default: // the person changed the relation's type
		return a.leaveRelation(there.ID)
	}
}

var relationNames = uuid.NewSHA1(uuid.NameSpaceURL, []byte("keepsake/relation"))

// relationID derives the id of a relation from its platform and key, so that each import
// of the same relation of an account gives it the same id.
func relationID(platform, key string) string {
	return uuid.NewSHA1(relationNames, []byte(platform+"\x00"+key)).String()
}
