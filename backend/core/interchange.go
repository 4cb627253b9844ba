package core

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"

	"keepsake/backend/core/rows"
	"keepsake/backend/format/mif"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// relationWord is a way in which a source says a relation, beside what the relation says: by
// a word of its own. It is kept among the ways of documents, and leaves with the edge that
// the relation leaves as in the Memory Interchange Format.
type relationWord struct {
	Label string `json:"label"`
}

func (s relationWord) encode() string {
	text, err := rows.EncodeJSON(s)
	if err != nil {
		return ""
	}
	return string(text)
}

// labelOf is the word in a way that a relation was said in, "" where there is none. own
// says that the way is nothing but that word.
func labelOf(way string) (label string, own bool) {
	var x struct {
		relationWord
		Source   string       `json:"source"`
		Metadata relationWord `json:"metadata"`
	}
	if len(way) == 0 || way[0] != '{' || json.Unmarshal([]byte(way), &x) != nil {
		return "", false
	}
	if x.Label != "" && x.Source == "" {
		return x.Label, true
	}
	return x.Metadata.Label, false
}

// wordsOfRelation are the words by which sources said a relation.
func wordsOfRelation(tx *vault.Tx, relation string) (words []string, err error) {
	ways, err := textsIn(tx, saidOf(relation))
	for _, way := range ways {
		if label, _ := labelOf(way); label != "" {
			words = append(words, label)
		}
	}
	return words, err
}

const saidPrefix = "relation:"

func saidOf(relation string) string { return saidPrefix + relation }

func edgesOf(memory string) string { return edgesPrefix + memory }

// namedBy is where the ids are kept that a memory names in one of mif.Links, and that
// lead nowhere.
func namedBy(memory, how string) string { return how + ":" + memory }

// besideMemory are all records that go with a memory.
func besideMemory(id string) []string {
	all := []string{edgesOf(id)}
	for _, how := range mif.Links() {
		all = append(all, namedBy(id, how))
	}
	return all
}

// besidePiece is a piece of a document, named as mif.Piece has it.
type besidePiece struct {
	Name string `json:"name"`
	Raw  string `json:"raw"`
}

// collection is where things of a plain kind are: records that nothing but their
// own id leads to.
func (k imageKind) collection() vault.Collection {
	if k == ofTodo {
		return vault.Todos
	}
	return vault.Interchange
}

// putPlain stores a record of a plain kind.
func (e *edit) putPlain(kind imageKind, id string, at memory.Time, v any) error {
	text, err := rows.EncodeJSON(v)
	if err != nil {
		return err
	}
	if e.sketch != nil {
		if kind == ofTodo {
			e.sketch.todos[id] = text
		}
		return nil
	}
	return e.writePlain(kind, id, at, text)
}

func (e *edit) writePlain(kind imageKind, id string, at memory.Time, text []byte) error {
	im, err := e.rememberPlain(kind, id)
	if err != nil {
		return err
	}
	if err := e.tx.Put(kind.collection(), id, at.Time, text); err != nil {
		return fmt.Errorf("store %s: %w", kind, err)
	}
	im.After = rows.Sum(text)
	return nil
}

// dropPlain takes a record of a plain kind away, where there is one.
func (e *edit) dropPlain(kind imageKind, id string) error {
	if !e.tx.Has(kind.collection(), id) {
		return nil
	}
	im, err := e.rememberPlain(kind, id)
	if err != nil {
		return err
	}
	if err := e.tx.Delete(kind.collection(), id); err != nil {
		return fmt.Errorf("delete %s: %w", kind, err)
	}
	im.After = nil
	return nil
}

func (e *edit) rememberPlain(kind imageKind, id string) (*image, error) {
	return e.remember(kind, id, func(im *image) (err error) {
		im.Before, err = e.tx.Find(kind.collection(), id)
		return err
	})
}

func (u *undoing) restorePlain(im *image) error {
	if im.Before == nil {
		return u.dropPlain(im.Kind, im.ID)
	}
	return u.writePlain(im.Kind, im.ID, u.now, im.Before)
}

// textsIn reads a list of texts, nil where there is none.
func textsIn(tx *vault.Tx, id string) (texts []string, err error) {
	text, err := tx.Find(vault.Interchange, id)
	if err != nil || text == nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &texts); err != nil {
		return nil, fmt.Errorf("read what was kept: %w", err)
	}
	return texts, nil
}

func (e *edit) putSaid(relation string, ways []string) error {
	return e.putPlain(ofInterchange, saidOf(relation), e.now, ways)
}

// keySum stands for a text of which there may be more than memory should hold, such
// as the key of an edge, which holds all that the edge says.
func keySum(key string) [16]byte {
	sum := sha256.Sum256([]byte(key))
	return [16]byte(sum[:16])
}

// What a document of the Memory Interchange Format says beside memories and tasks
// is kept in the collection Interchange, as it stood, and leaves again:
//
//	relation:<id>       in which ways documents said the relation: a list of texts,
//	                    "" for what the relation says by itself, mif.Related,
//	                    mif.Parent, or an edge as JSON. Absent: [""].
//	edges:<memory id>   edges that lead from or to a memory and something else
//	related:<memory id> ids that a memory names and no file has: a list of texts
//	parent:<memory id>  the same of what it names as its parent
//	document:<n>        pieces of documents: a list of besidePiece
const (
	edgesPrefix    = "edges:"
	documentPrefix = "document:"
)

// eachDocument goes over the records of what was kept of documents, oldest first.
// take must keep no id without a copy.
func eachDocument(tx *vault.Tx, take func(id string, pieces []mif.Piece)) error {
	for e, err := range tx.Each(vault.Interchange) {
		if err != nil {
			return err
		}
		if !strings.HasPrefix(e.ID, documentPrefix) {
			continue
		}
		pieces, err := decodePieces(e.Plain)
		if err != nil {
			return err
		}
		take(e.ID, pieces)
	}
	return nil
}

func decodePieces(text []byte) ([]mif.Piece, error) {
	var all []besidePiece
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("read what was kept: %w", err)
	}
	pieces := make([]mif.Piece, len(all))
	for i, p := range all {
		pieces[i] = mif.Piece{Name: p.Name, Raw: []byte(p.Raw)}
	}
	return pieces, nil
}
