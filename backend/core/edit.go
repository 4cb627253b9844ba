package core

import (
	"bytes"
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

// edit is one transaction in the making: it writes, keeps what undoing needs,
// and collects what the rows must learn once the transaction is durable.
type edit struct {
	tx    *vault.Tx
	rows  *rows.Rows // to be read; changed only by the staged steps
	now   memory.Time
	newID func() string
	rules func() (*schema.Set, error)
	// languages tells the language of a text.
	languages func() *language.Reader
	images    []*image
	known     map[string]*image // by kind and id, so that the first image wins
	staged    []func(*rows.Rows)
	undone    *undone       // nil in a dry run, which undoes nothing
	texts     []indexChange // for the search index
	read      *rows.Texts   // what the staged rows of memories share; made with the first
	sketch    *sketch       // of a plan: what would be written goes there; nil writes
}

func (e *edit) stage(step func(*rows.Rows)) { e.staged = append(e.staged, step) }

// image is how one thing stood before a change.
type image struct {
	Kind   imageKind       `json:"k"`
	ID     string          `json:"id"`
	Before json.RawMessage `json:"b,omitempty"` // absent: it was not there
	Side   json.RawMessage `json:"s,omitempty"` // of a memory
	After  []byte          `json:"a,omitempty"` // sum of what the change left; absent: nothing
	Pieces int             `json:"p,omitempty"` // of a conversation: its Before is in so many records
	Packed bool            `json:"z,omitempty"` // which hold a vault.Kept

	kept *vault.Kept // a conversation's Before until it is stored in pieces; nil where it was not there
}

type imageKind string

const (
	ofMemory       imageKind = "memory"
	ofRelation     imageKind = "relation"
	ofConversation imageKind = "conversation"
	ofRetraction   imageKind = "retraction" // ID is the name of the link
	ofBlob         imageKind = "blob"       // ID is its reference; added by this change
	ofProposal     imageKind = "proposal"
	ofEmbedding    imageKind = "embedding" // ID is that of its memory
	ofTodo         imageKind = "todo"
	ofInterchange  imageKind = "interchange" // as Interchange names it
)

// remember returns the image of a thing, made by before at its first change in
// this transaction.
func (e *edit) remember(kind imageKind, id string, before func(*image) error) (*image, error) {
	key := string(kind) + "\x00" + id
	if im, ok := e.known[key]; ok {
		return im, nil
	}
	im := &image{Kind: kind, ID: id}
	if before != nil {
		if err := before(im); err != nil {
			return nil, err
		}
	}
	if e.known == nil {
		e.known = map[string]*image{}
	}
	e.known[key] = im
	e.images = append(e.images, im)
	return im, nil
}

// putMemory stores a memory in canonical form with its side record, keeps the
// lookups by content and by source true, and stages its row.
func (e *edit) putMemory(r memory.Record, side rows.ProvenanceRecord) error {
	old, existed, err := e.load(r.ID)
	if err != nil {
		return err
	}
	return e.replace(old, existed, r, side)
}

// replace is putMemory for who knows what is there.
func (e *edit) replace(old rows.StoredMemory, existed bool, r memory.Record, side rows.ProvenanceRecord) error {
	r.EmbeddingRef = ""
	text, err := e.canonical(r)
	if err != nil {
		return err
	}
	sideText, err := rows.EncodeJSON(side)
	if err != nil {
		return err
	}
	if e.sketch != nil {
		if existed && old.Hash != r.ContentHash {
			e.sketch.embeddings[r.ID] = embeddingMark{}
		}
		e.sketch.put(r, side)
		return e.relink(old, existed, r, side)
	}
	if existed && old.Hash != r.ContentHash { // before the memory's image, so that undoing brings it back after
		if err := e.dropEmbedding(r.ID); err != nil {
			return err
		}
	}
	im, err := e.remember(ofMemory, r.ID, func(im *image) error {
		im.Before, im.Side = old.Bytes, old.SideBytes
		return nil
	})
	if err != nil {
		return err
	}
	if err := e.tx.Put(vault.Memories, r.ID, r.Temporal.CreatedAt.Time, text); err != nil {
		return fmt.Errorf("store memory: %w", err)
	}
	if !existed || !bytes.Equal(old.SideBytes, sideText) { // as a rule an edit leaves them
		if err := e.tx.Put(vault.Sources, r.ID, r.Temporal.CreatedAt.Time, sideText); err != nil {
			return fmt.Errorf("store sources: %w", err)
		}
	}
	if err := e.putMemoryRow(r, side); err != nil {
		return err
	}
	im.After = rows.Sum(text)
	return e.relink(old, existed, r, side)
}

// putMemoryRow stores what lists need of a memory, and hands its words to the
// search index. What is staged is what will be read at the next unlock.
func (e *edit) putMemoryRow(r memory.Record, side rows.ProvenanceRecord) error {
	row := rows.MemoryOf(r, side)
	row.Generation = e.tx.Generation()
	kept, err := e.tx.PutRow(vault.Memories, row.ID, row.Encode())
	if err != nil {
		return fmt.Errorf("store row: %w", err)
	}
	if e.read == nil {
		e.read = rows.NewTexts(1)
	}
	rows.ReadMemory(kept, e.read, row)
	e.stage(func(rs *rows.Rows) { rs.PutMemory(row) })
	e.texts = append(e.texts, indexChange{unit: search.Unit{Kind: search.Memory, Seq: row.Seq, Mark: row.Mark}, docs: memoryDoc(r)})
	return nil
}

// canonical is the form in which a memory is stored, hashed and exported. It
// is checked against the schema here, once, and never again.
func (e *edit) canonical(r memory.Record) ([]byte, error) {
	text, err := pam.EncodeMemory(r)
	if err != nil {
		return nil, fmt.Errorf("encode memory: %w", err)
	}
	rules, err := e.rules()
	if err != nil {
		return nil, err
	}
	if bad := rules.CheckMemory(text); len(bad) > 0 {
		return nil, fault.New(fault.Invalid, "memory-breaks-schema", "This memory does not fit Portable AI Memory at {place}.").
			With("place", bad[0].Pointer).Because(errors.New("check memory: schema violated"))
	}
	return text, nil
}

func (e *edit) dropMemory(id string) error {
	old, ok, err := rows.LoadMemory(e.tx, id)
	if err != nil || !ok {
		return err
	}
	if err := e.unlink(id, old.Names()...); err != nil {
		return err
	}
	if err := e.dropEmbedding(id); err != nil {
		return err
	}
	if err := e.dropUse(id); err != nil {
		return err
	}
	for _, beside := range besideMemory(id) {
		if err := e.dropPlain(ofInterchange, beside); err != nil {
			return err
		}
	}
	seq, err := e.tx.Seq(vault.Memories, id)
	if err != nil {
		return err
	}
	e.texts = append(e.texts, indexChange{unit: search.Unit{Kind: search.Memory, Seq: seq}})
	if err := e.tx.Delete(vault.Memories, id); err != nil {
		return fmt.Errorf("delete memory: %w", err)
	}
	if err := e.tx.Delete(vault.Sources, id); err != nil {
		return fmt.Errorf("delete sources: %w", err)
	}
	e.stage(func(rs *rows.Rows) { rs.DropMemory(id) })
	return nil
}

// relink lets the memory be found by its content and by its sources, and no
// longer by what it has lost. The first memory with a content keeps it.
func (e *edit) relink(old rows.StoredMemory, existed bool, r memory.Record, side rows.ProvenanceRecord) error {
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
	if _, taken := e.linked(rows.ByContent(r.ContentHash)); !taken {
		if err := e.link(rows.ByContent(r.ContentHash), r.ID); err != nil {
			return fmt.Errorf("link memory: %w", err)
		}
	}
	for _, s := range side.Sources {
		if _, had := old.Side.Source(s.Platform, s.SourceKey); had {
			continue
		}
		for _, name := range s.Names() {
			if err := e.link(name, r.ID); err != nil {
				return fmt.Errorf("link memory: %w", err)
			}
		}
	}
	return nil
}

// unlink lets go of names where they lead to id.
func (e *edit) unlink(id string, names ...string) error {
	for _, name := range names {
		if to, ok := e.linked(name); !ok || to != id {
			continue
		}
		if err := e.unname(name); err != nil {
			return fmt.Errorf("unlink memory: %w", err)
		}
	}
	return nil
}

func (e *edit) putRelation(rel memory.Relation) error {
	text, err := rows.EncodeJSON(rel)
	if err != nil || e.sketch != nil {
		return err
	}
	im, err := e.remember(ofRelation, rel.ID, func(im *image) error {
		before, err := e.tx.Find(vault.Relations, rel.ID)
		im.Before = before
		return err
	})
	if err != nil {
		return err
	}
	if err := e.tx.Put(vault.Relations, rel.ID, rel.CreatedAt.Time, text); err != nil {
		return fmt.Errorf("store relation: %w", err)
	}
	im.After = rows.Sum(text)
	e.stage(func(rs *rows.Rows) { rs.PutRelation(rel) })
	return nil
}

func (e *edit) dropRelation(id string) error {
	_, err := e.remember(ofRelation, id, func(im *image) error {
		before, err := e.tx.Find(vault.Relations, id)
		im.Before = before
		return err
	})
	if err != nil {
		return err
	}
	if err := e.tx.Delete(vault.Relations, id); err != nil {
		return fmt.Errorf("delete relation: %w", err)
	}
	e.stage(func(rs *rows.Rows) { rs.DropRelation(id) })
	return e.dropPlain(ofInterchange, saidOf(id))
}
