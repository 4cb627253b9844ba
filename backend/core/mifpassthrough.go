package core

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"keepsake/backend/core/rows"
	"keepsake/backend/format/mif"
	"keepsake/backend/importer"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

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
	saidPrefix     = "relation:"
	edgesPrefix    = "edges:"
	documentPrefix = "document:"
)

func saidOf(relation string) string { return saidPrefix + relation }
func edgesOf(memory string) string  { return edgesPrefix + memory }

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

// maxBeside is about how much of it goes into one record, in bytes.
const maxBeside = 1 << 20

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

// alsoSaid counts a relation that is here already, and keeps one more way in which a
// document says it.
func (a *applying) alsoSaid(rel memory.Relation, way string) error {
	ways, err := textsIn(a.tx, saidOf(rel.ID))
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
		if err := a.putSaid(rel.ID, append(ways, way)); err != nil {
			return err
		}
	}
	a.tally.relations.Unchanged++
	a.tally.unchanged++
	return a.sawRelation(rel.ID)
}

// keepWith keeps a text in a record that goes with a memory: an edge that is no
// relation, or an id that the memory names and no file has. It counts it.
func (a *applying) keepWith(id, record, text string) error {
	texts, err := textsIn(a.tx, record)
	if err != nil {
		return err
	}
	// A plan stores nothing; what it has seen is in says.
	here := keySum(record + "\x00" + text)
	if slices.Contains(texts, text) || a.run.pieces.says[here] != [16]byte{} {
		a.tally.here(a.run.resumed)
		return nil
	}
	if may, err := a.speaksForID(id); err != nil || !may && !a.isAgreed(id) {
		a.tally.skip(becauseNotSignedFor)
		return err
	}
	a.run.pieces.says[here] = here
	a.tally.taken++
	return a.putPlain(ofInterchange, record, a.now, append(texts, text))
}

// found lets go of an id that was kept so: it leads to a memory now.
func (a *applying) found(memory, how, id string) error {
	if !a.tx.Has(vault.Interchange, namedBy(memory, how)) {
		return nil
	}
	ids, err := textsIn(a.tx, namedBy(memory, how))
	if err != nil || !slices.Contains(ids, id) {
		return err
	}
	if ids = slices.DeleteFunc(ids, func(one string) bool { return one == id }); len(ids) == 0 {
		return a.dropPlain(ofInterchange, namedBy(memory, how))
	}
	return a.putPlain(ofInterchange, namedBy(memory, how), a.now, ids)
}

// setAsides are what is kept of documents, and what a run has added.
type setAsides struct {
	read bool
	says map[[16]byte][16]byte // sum of what a piece is → sum of what the last of them says
}

func newPieces() *setAsides { return &setAsides{says: map[[16]byte][16]byte{}} }

// isLast reports that the last piece of its kind that is kept says the same; if not,
// this one is the last from now on.
func (p *setAsides) isLast(tx *vault.Tx, piece besidePiece) (bool, error) {
	if !p.read {
		err := eachDocument(tx, func(_ string, kept []mif.Piece) {
			for _, k := range kept {
				p.says[keySum(k.Key())] = keySum(string(k.Raw))
			}
		})
		if err != nil {
			return false, err
		}
		p.read = true
	}
	is, says := keySum(mif.Piece{Name: piece.Name, Raw: []byte(piece.Raw)}.Key()), keySum(piece.Raw)
	if p.says[is] == says {
		return true, nil
	}
	p.says[is] = says
	return false, nil
}

// setAside keeps a piece of a document until the end of the batch, unless it is kept
// already. It counts it.
func (a *applying) setAside(p besidePiece) error {
	last, err := a.run.pieces.isLast(a.tx, p)
	if err != nil {
		return err
	}
	if last {
		a.tally.here(a.run.resumed)
		return nil
	}
	a.beside = append(a.beside, p)
	a.tally.taken++
	return nil
}

// here counts something that the vault has already; in an import that goes on after
// a lock it is one that this import took.
func (t *tally) here(resumed bool) {
	if resumed {
		t.taken++
		return
	}
	t.unchanged++
}

// besides sets a piece aside, without what names the forgotten.
func (a *applying) besides(d *importer.BesideDraft) error {
	p := besidePiece{d.Name, d.Raw}
	if a.isBarred(d.Owner).piece(&p) {
		a.tally.skip(becauseForgotten)
		return nil
	}
	return a.setAside(p)
}

// keepBeside stores the pieces of a batch.
func (a *applying) keepBeside() error {
	for len(a.beside) > 0 {
		n, size := 0, 0
		for n < len(a.beside) && (n == 0 || size+len(a.beside[n].Raw) < maxBeside) {
			size += len(a.beside[n].Raw)
			n++
		}
		id := fmt.Sprintf("%s%d", documentPrefix, a.tx.Next(vault.Interchange))
		if err := a.putPlain(ofInterchange, id, a.now, a.beside[:n]); err != nil {
			return err
		}
		a.beside = a.beside[n:]
	}
	return nil
}

// interchange is what was kept of documents, but for the elements of lists, of which
// there may be more than memory should hold: they are read again where they are asked
// for.
type interchange struct {
	members []mif.Piece      // of those that say the same thing the last
	records []keptElements   // that hold elements
	last    map[[16]byte]int // of elements that say the same thing, by a sum: the number of the one that counts
	counts  map[string]int   // how many count, by list
}

// keptElements is a record that holds elements of these lists, the first with this number.
type keptElements struct {
	id    string
	first int
	lists []string
}

// readInterchange reads it.
func readInterchange(tx *vault.Tx) (x interchange, err error) {
	x.last, x.counts = map[[16]byte]int{}, map[string]int{}
	at, elements := map[string]int{}, 0
	err = eachDocument(tx, func(id string, pieces []mif.Piece) {
		here := keptElements{id: strings.Clone(id), first: elements}
		for _, piece := range pieces {
			if !piece.IsElement() {
				if i, ok := at[piece.Name]; ok {
					x.members[i] = piece
					continue
				}
				at[piece.Name] = len(x.members)
				x.members = append(x.members, piece)
				continue
			}
			key := keySum(piece.Key())
			if _, again := x.last[key]; !again {
				x.counts[piece.Name]++
			}
			x.last[key] = elements
			elements++
			if !slices.Contains(here.lists, piece.Name) {
				here.lists = append(here.lists, piece.Name)
			}
		}
		if here.lists != nil {
			x.records = append(x.records, here)
		}
	})
	return x, err
}

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

// keySum stands for a text of which there may be more than memory should hold, such
// as the key of an edge, which holds all that the edge says.
func keySum(key string) [16]byte {
	sum := sha256.Sum256([]byte(key))
	return [16]byte(sum[:16])
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

// eachElement gives the elements of a list that count.
func (x *interchange) eachElement(tx *vault.Tx, list string, give func(raw []byte) error) error {
	for _, h := range x.records {
		if !slices.Contains(h.lists, list) {
			continue
		}
		text, err := tx.Get(vault.Interchange, h.id)
		if err != nil {
			return err
		}
		pieces, err := decodePieces(text)
		if err != nil {
			return err
		}
		n := h.first
		for _, p := range pieces {
			if !p.IsElement() {
				continue
			}
			if counts := p.Name == list && x.last[keySum(p.Key())] == n; counts {
				if err := give(p.Raw); err != nil {
					return err
				}
			}
			n++
		}
	}
	return nil
}
