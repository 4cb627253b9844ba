package library

import (
	"crypto/sha256"
	"encoding/json"
	"strings"

	"keepsake/backend/core/rows"
	"keepsake/backend/format/mif"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// RelationWord is the label that a source gives a relation, in addition to its type. It
// is stored among the notations of the relation in documents (see SaidOf), and is
// exported with the edge of the relation in the Memory Interchange Format.
type RelationWord struct {
	Label string `json:"label"`
}

// Encode returns the stored JSON of the label, "" on error.
func (s RelationWord) Encode() string {
	text, err := rows.EncodeJSON(s)
	if err != nil {
		return ""
	}
	return string(text)
}

// LabelOf returns the label in way, a stored text by which a document expresses a
// relation (see SaidOf); "" if it has none. own reports that way is only the label.
func LabelOf(way string) (label string, own bool) {
	var x struct {
		RelationWord
		Source   string       `json:"source"`
		Metadata RelationWord `json:"metadata"`
	}
	if len(way) == 0 || way[0] != '{' || json.Unmarshal([]byte(way), &x) != nil {
		return "", false
	}
	if x.Label != "" && x.Source == "" {
		return x.Label, true
	}
	return x.Metadata.Label, false
}

// WordsOfRelation returns the labels that sources have for a relation.
func WordsOfRelation(tx *vault.Tx, relation string) (words []string, err error) {
	ways, err := TextsIn(tx, SaidOf(relation))
	for _, way := range ways {
		if label, _ := LabelOf(way); label != "" {
			words = append(words, label)
		}
	}
	return words, err
}

const saidPrefix = "relation:"

// SaidOf returns the id of the record with a relation's notations in imported documents.
func SaidOf(relation string) string { return saidPrefix + relation }

// EdgesOf is the id of the record with a memory's MIF edges whose other end is no memory.
func EdgesOf(memory string) string { return edgesPrefix + memory }

// NamedBy is the id of the record with a memory's dangling references: the ids to which
// it refers by how (one of mif.Links), although no memory of the vault has them.
func NamedBy(memory, how string) string { return how + ":" + memory }

// besideMemory lists the ids of the records with MIF data that are deleted with a memory.
func besideMemory(id string) []string {
	all := []string{EdgesOf(id)}
	for _, how := range mif.Links() {
		all = append(all, NamedBy(id, how))
	}
	return all
}

// BesidePiece is the stored form of a mif.Piece: a part of an imported document that is
// neither a memory nor a task.
type BesidePiece struct {
	Name string `json:"name"`
	Raw  string `json:"raw"`
}

// PutPlain stores a record of a plain kind, which is found by its id only: it has no
// lookup names, rows or index entries.
func (e *Tx) PutPlain(kind ImageKind, id string, at memory.Time, v any) error {
	text, err := rows.EncodeJSON(v)
	if err != nil {
		return err
	}
	return e.putPlain(kind, id, at, text)
}

func (u *undoRun) restorePlain(im *Image) error {
	if im.Before == nil {
		return u.DropPlain(im.Kind, im.ID)
	}
	return u.writeRecord(im.Kind, im.ID, u.Now, im.Before)
}

// TextsIn reads a record of the collection Interchange that holds a list of texts, nil if
// there is none.
func TextsIn(tx *vault.Tx, id string) (texts []string, err error) {
	_, err = rows.FindJSON(tx, vault.Interchange, id, "what was kept", &texts)
	return texts, err
}

// PutSaid stores the ways in which documents express a relation (see SaidOf).
func (e *Tx) PutSaid(relation string, ways []string) error {
	return e.PutPlain(OfInterchange, SaidOf(relation), e.Now, ways)
}

// KeySum returns a hash that is used as a map key in place of a long text, to save memory.
// An example is the key of an edge, which contains the whole edge.
func KeySum(key string) [16]byte {
	sum := sha256.Sum256([]byte(key))
	return [16]byte(sum[:16])
}

// Data of documents of the Memory Interchange Format that is neither a memory nor a task
// is stored unchanged in the collection Interchange and exported again. The ids are:
//
//	relation:<id>       how documents express the relation: a list of texts, each ""
//	                    (a plain relation), mif.Related, mif.Parent, or an edge as JSON.
//	                    If the record is absent, the list is [""].
//	edges:<memory id>   edges of a memory whose other end is no memory of the vault
//	related:<memory id> ids of related memories that the vault does not have: a list
//	parent:<memory id>  ids of parent memories that the vault does not have: a list
//	document:<n>        pieces of documents: a list of BesidePiece
const (
	edgesPrefix    = "edges:"
	DocumentPrefix = "document:"
)

// EachDocument calls take for each record that holds pieces of imported MIF documents
// (see DocumentPrefix), oldest first. take must copy an id that it keeps.
func EachDocument(tx *vault.Tx, take func(id string, pieces []mif.Piece)) error {
	for e, err := range tx.Each(vault.Interchange) {
		if err != nil {
			return err
		}
		if !strings.HasPrefix(e.ID, DocumentPrefix) {
			continue
		}
		pieces, err := DecodePieces(e.Plain)
		if err != nil {
			return err
		}
		take(e.ID, pieces)
	}
	return nil
}

// DecodePieces decodes a stored record of document pieces (see DocumentPrefix).
func DecodePieces(text []byte) ([]mif.Piece, error) {
	all, err := rows.DecodeJSON[[]BesidePiece](text, "what was kept")
	if err != nil {
		return nil, err
	}
	pieces := make([]mif.Piece, len(all))
	for i, p := range all {
		pieces[i] = mif.Piece{Name: p.Name, Raw: []byte(p.Raw)}
	}
	return pieces, nil
}
