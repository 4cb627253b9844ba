package library

import (
	"encoding/json"
	"errors"
	"fmt"

	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/language"
	"keepsake/backend/memory"
	"keepsake/backend/schema"
	"keepsake/backend/search"
	"keepsake/backend/vault"
)

// Tx is one transaction that is not committed yet. It writes to the vault, records undo
// data (Images), and collects the steps that update the rows (the in-memory lists) once
// the transaction is durable.
type Tx struct {
	VaultTx *vault.Tx
	Rows    *rows.Rows // read only until commit; the staged steps change it then
	Now     memory.Time
	NewID   func() string
	Rules   func() (*schema.Set, error)
	// Languages returns the detector of the language of a text.
	Languages func() *language.Reader
	Images    []*Image
	Known     map[string]*Image // Images by kind and id; only the first one of a record is stored
	staged    []func(*rows.Rows)
	undone    *undone       // the session's redo stack; nil in a dry run
	actor     string        // agent whose change this is; "": the person's
	texts     []indexChange // changes for the search index, passed on after commit
	read      *rows.Texts   // strings that the staged rows of memories share; nil at first
	unitOfWork
}

// Stage adds a step that updates the rows once the transaction is durable.
func (e *Tx) Stage(step func(*rows.Rows)) { e.staged = append(e.staged, step) }

// Image is the undo data of one record: its content before a change.
type Image struct {
	Kind   ImageKind       `json:"k"`
	ID     string          `json:"id"`
	Before json.RawMessage `json:"b,omitempty"` // absent: the record did not exist
	Side   json.RawMessage `json:"s,omitempty"` // of a memory: its provenance record before the change
	After  []byte          `json:"a,omitempty"` // hash of the record after the change; absent: deleted
	Pieces int             `json:"p,omitempty"` // of a conversation: number of records with its old version
	Packed bool            `json:"z,omitempty"` // pieces hold a vault.Kept; false: JSON, as in older vaults

	Kept *vault.Kept `json:"-"` // old version of a conversation until stored in pieces; nil: there was none
}

// ImageKind is the kind of record that an Image holds.
type ImageKind string

// The kinds of records whose changes can be undone.
const (
	OfMemory       ImageKind = "memory"
	OfRelation     ImageKind = "relation"
	OfConversation ImageKind = "conversation"
	OfRetraction   ImageKind = "retraction" // ID is the lookup name, see rows.ByRetraction
	OfBlob         ImageKind = "blob"       // an attachment that the change added; ID is its reference
	OfProposal     ImageKind = "proposal"
	OfEmbedding    ImageKind = "embedding" // ID is that of its memory
	OfTodo         ImageKind = "todo"
	OfInterchange  ImageKind = "interchange" // ID as in the collection vault.Interchange
	OfCircle       ImageKind = "circle"
)

// Remember returns the image (undo data) of a record. At the first change of the record in
// this transaction it creates the image and calls before to fill it.
func (e *Tx) Remember(kind ImageKind, id string, before func(*Image) error) (*Image, error) {
	key := string(kind) + "\x00" + id
	if im, ok := e.Known[key]; ok {
		return im, nil
	}
	im := &Image{Kind: kind, ID: id}
	if before != nil {
		if err := before(im); err != nil {
			return nil, err
		}
	}
	if e.Known == nil {
		e.Known = map[string]*Image{}
	}
	e.Known[key] = im
	e.Images = append(e.Images, im)
	return im, nil
}

// Collection returns the vault's collection with the records of this kind.
func (k ImageKind) Collection() vault.Collection {
	switch k {
	case OfMemory:
		return vault.Memories
	case OfRelation:
		return vault.Relations
	case OfProposal:
		return vault.Proposals
	case OfEmbedding:
		return vault.Embeddings
	case OfTodo:
		return vault.Todos
	case OfCircle:
		return vault.Circles
	}
	return vault.Interchange
}

// rememberRecord is Remember for kinds that are stored as a single record.
func (e *Tx) rememberRecord(kind ImageKind, id string) (*Image, error) {
	return e.Remember(kind, id, func(im *Image) (err error) {
		im.Before, err = e.VaultTx.Find(kind.Collection(), id)
		return err
	})
}

// writeRecord stores a record and its undo data.
func (e *Tx) writeRecord(kind ImageKind, id string, at memory.Time, text []byte) error {
	im, err := e.rememberRecord(kind, id)
	if err != nil {
		return err
	}
	if err := e.VaultTx.Put(kind.Collection(), id, at.Time, text); err != nil {
		return fmt.Errorf("store %s: %w", kind, err)
	}
	im.After = rows.Sum(text)
	return nil
}

// dropRecord deletes a record, if there is one, and stores its undo data.
func (e *Tx) dropRecord(kind ImageKind, id string) error {
	if !e.VaultTx.Has(kind.Collection(), id) {
		return nil
	}
	im, err := e.rememberRecord(kind, id)
	if err != nil {
		return err
	}
	if err := e.VaultTx.Delete(kind.Collection(), id); err != nil {
		return fmt.Errorf("delete %s: %w", kind, err)
	}
	im.After = nil
	return nil
}

// PutMemory stores a memory in canonical form with its provenance record (side), updates
// its lookup keys by content and by source, and stages its row (see Stage).
func (e *Tx) PutMemory(r memory.Record, side rows.ProvenanceRecord) error {
	old, existed, err := e.Load(r.ID)
	if err != nil {
		return err
	}
	return e.replace(old, existed, r, side)
}

// replace is PutMemory for a caller that has loaded the stored version (old) already.
func (e *Tx) replace(old rows.StoredMemory, existed bool, r memory.Record, side rows.ProvenanceRecord) error {
	r.EmbeddingRef = ""
	text, err := e.canonical(r)
	if err != nil {
		return err
	}
	if err := e.putMemory(old, existed, r, text, side); err != nil {
		return err
	}
	return e.relink(old, existed, r, side)
}

// putMemoryRow stores the row (list entry) of a memory and queues its text for the search
// index. It decodes the row for RAM from the stored bytes, as the next unlock does.
func (e *Tx) putMemoryRow(r memory.Record, side rows.ProvenanceRecord) error {
	row := rows.MemoryOf(r, side)
	row.Generation = e.VaultTx.Generation()
	kept, err := e.VaultTx.PutRow(vault.Memories, row.ID, row.Encode())
	if err != nil {
		return fmt.Errorf("store row: %w", err)
	}
	if e.read == nil {
		e.read = rows.NewTexts()
	}
	rows.ReadMemory(kept, e.read, row)
	e.Stage(func(rs *rows.Rows) { rs.PutMemory(row) })
	e.texts = append(e.texts, indexChange{unit: search.Unit{Kind: search.Memory, Seq: row.Seq, Mark: row.Mark}, docs: memoryDoc(r)})
	return nil
}

// put stores a record as JSON.
func (e *Tx) put(c vault.Collection, id string, at memory.Time, value any) error {
	text, err := rows.EncodeJSON(value)
	if err != nil {
		return err
	}
	return e.VaultTx.Put(c, id, at.Time, text)
}

// canonical encodes a memory in the form in which it is stored, hashed and exported. It
// checks this form against the PAM schema; no later step checks it again.
func (e *Tx) canonical(r memory.Record) ([]byte, error) {
	text, err := pam.EncodeMemory(r)
	if err != nil {
		return nil, fmt.Errorf("encode memory: %w", err)
	}
	rules, err := e.Rules()
	if err != nil {
		return nil, err
	}
	if bad := rules.CheckMemory(text); len(bad) > 0 {
		return nil, fault.New(fault.Invalid, "memory-breaks-schema", "This memory does not fit Portable AI Memory at {place}.").
			With("place", bad[0].Pointer).Because(errors.New("check memory: schema violated"))
	}
	return text, nil
}

// DropMemory deletes a memory, if it exists, with its lookup keys, provenance, embedding,
// use count and interchange records.
func (e *Tx) DropMemory(id string) error {
	old, ok, err := rows.LoadMemory(e.VaultTx, id)
	if err != nil || !ok {
		return err
	}
	if err := errors.Join(e.unlink(id, old.Names()...), e.dropRecord(OfEmbedding, id), e.dropUse(id)); err != nil {
		return err
	}
	for _, beside := range besideMemory(id) {
		if err := e.DropPlain(OfInterchange, beside); err != nil {
			return err
		}
	}
	seq, err := e.VaultTx.Seq(vault.Memories, id)
	if err != nil {
		return err
	}
	e.texts = append(e.texts, indexChange{unit: search.Unit{Kind: search.Memory, Seq: seq}})
	if err := e.VaultTx.Delete(vault.Memories, id); err != nil {
		return fmt.Errorf("delete memory: %w", err)
	}
	if err := e.VaultTx.Delete(vault.Sources, id); err != nil {
		return fmt.Errorf("delete sources: %w", err)
	}
	e.Stage(func(rs *rows.Rows) { rs.DropMemory(id) })
	return nil
}

// relink updates the lookup keys of a memory, which are its content hash and its sources:
// it removes those that no longer apply and adds the new ones. If another memory has the
// same content, the key of the content stays with that one.
func (e *Tx) relink(old rows.StoredMemory, existed bool, r memory.Record, side rows.ProvenanceRecord) error {
	var lost []string
	if existed && old.Hash != r.ContentHash {
		lost = append(lost, rows.ByContent(old.Hash))
	}
	for _, s := range old.Side.Sources {
		if _, kept := side.Source(s.Platform, s.SourceKey); !kept {
			lost = append(lost, s.Names()...)
		}
	}
	if err := e.unlink(r.ID, lost...); err != nil {
		return err
	}
	if _, taken := e.Linked(rows.ByContent(r.ContentHash)); !taken {
		if err := e.Link(rows.ByContent(r.ContentHash), r.ID); err != nil {
			return fmt.Errorf("link memory: %w", err)
		}
	}
	for _, s := range side.Sources {
		if _, had := old.Side.Source(s.Platform, s.SourceKey); had {
			continue
		}
		for _, name := range s.Names() {
			if err := e.Link(name, r.ID); err != nil {
				return fmt.Errorf("link memory: %w", err)
			}
		}
	}
	return nil
}

// unlink removes those of the lookup keys (names) that lead to the memory id.
func (e *Tx) unlink(id string, names ...string) error {
	for _, name := range names {
		if to, ok := e.Linked(name); !ok || to != id {
			continue
		}
		if err := e.unname(name); err != nil {
			return fmt.Errorf("unlink memory: %w", err)
		}
	}
	return nil
}

// DropRelation deletes a relation and stores its undo data.
func (e *Tx) DropRelation(id string) error {
	if _, err := e.rememberRecord(OfRelation, id); err != nil {
		return err
	}
	if err := e.VaultTx.Delete(vault.Relations, id); err != nil {
		return fmt.Errorf("delete relation: %w", err)
	}
	e.Stage(func(rs *rows.Rows) { rs.DropRelation(id) })
	return e.DropPlain(OfInterchange, SaidOf(id))
}
