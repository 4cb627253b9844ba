package library

import (
	"bytes"
	"fmt"

	"keepsake/backend/core/rows"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// unitOfWork reads and writes the records that imports change. It has two
// implementations: the vault (vaultWork), and a dry run over it (dryWork), so that a plan
// is decided by the code that decides the import.
type unitOfWork interface {
	// Load reads a memory as this transaction has it.
	Load(id string) (m rows.StoredMemory, ok bool, err error)
	// Has reports whether a memory exists.
	Has(memory string) bool
	// Linked finds a memory by one of its lookup names (see rows.ByContent).
	Linked(name string) (id string, ok bool)
	// Link adds a lookup name for a memory; unname removes it.
	Link(name, id string) error
	unname(name string) error
	// ConversationHead reads the fields of a conversation without its messages; if there
	// is none, it returns the vault's error (see rows.IsAbsent).
	ConversationHead(id string) (vault.ConversationHead, error)
	// IsHeadOnly reports whether only the head of a conversation is stored, without its
	// messages, as in a dry run.
	IsHeadOnly(conversation string) bool
	// HasConversation reports whether a conversation exists.
	HasConversation(id string) bool
	// ReplaceConversation stores a conversation and keeps the one it replaces for undo.
	ReplaceConversation(h vault.ConversationHead, c *memory.Conversation) error
	// EmbeddingOf returns the mark (time and hash) of a memory's embedding.
	EmbeddingOf(memoryID string) (embeddingMark, error)
	// TodoText returns the stored JSON of a task, nil if there is none.
	TodoText(id string) ([]byte, error)

	// Place returns the number of a record in its collection. In a dry run, which gives
	// out no numbers, numbered is false.
	Place(c vault.Collection, id string) (seq uint64, numbered bool, err error)
	// DrawnRelations returns the relations that a dry run added, which the rows do not
	// have. It is empty for the vault.
	DrawnRelations() map[Triple]string
	// PutRelation stores a relation and its undo data.
	PutRelation(rel memory.Relation) error
	// DropPlain deletes a record that is found by its id only (see PutPlain), if it exists.
	DropPlain(kind ImageKind, id string) error
	// PutUse stores how often a memory was read.
	PutUse(memoryID string, u Use) error

	putMemory(old rows.StoredMemory, existed bool, r memory.Record, text []byte, side rows.ProvenanceRecord) error
	putPlain(kind ImageKind, id string, at memory.Time, text []byte) error
	putEmbedding(x pam.Embedding) error
}

// NewTx returns a transaction that only reads, with the methods that imports use. It lacks
// the clock and the schema rules, which changes need.
func NewTx(tx *vault.Tx, rs *rows.Rows) *Tx {
	e := &Tx{VaultTx: tx, Rows: rs}
	e.unitOfWork = vaultWork{e}
	return e
}

// newTx returns a transaction with all that changes need: clock, ids, schema rules and
// language detection of this library.
func (s *Library) newTx(tx *vault.Tx, v *Session) *Tx {
	e := NewTx(tx, v.Rows)
	e.Now, e.NewID, e.Rules, e.Languages = s.Now(), s.NewID, s.Rules, s.Languages
	return e
}

// NewDryTx returns a transaction that writes its changes to run and not to the vault.
func (s *Library) NewDryTx(tx *vault.Tx, v *Session, run *DryRun) *Tx {
	e := s.newTx(tx, v)
	e.unitOfWork = dryWork{vaultWork{e}, run}
	return e
}

// vaultWork implements unitOfWork on the vault.
type vaultWork struct{ e *Tx }

func (w vaultWork) Load(id string) (rows.StoredMemory, bool, error) {
	return rows.LoadMemory(w.e.VaultTx, id)
}

func (w vaultWork) Has(memory string) bool { return w.e.VaultTx.Has(vault.Memories, memory) }

func (w vaultWork) Linked(name string) (string, bool) {
	return w.e.VaultTx.Linked(vault.Memories, name)
}

func (w vaultWork) Link(name, id string) error { return w.e.VaultTx.Link(vault.Memories, name, id) }

func (w vaultWork) unname(name string) error { return w.e.VaultTx.Unlink(vault.Memories, name) }

func (w vaultWork) ConversationHead(id string) (vault.ConversationHead, error) {
	return w.e.VaultTx.ConversationHead(id)
}

func (w vaultWork) IsHeadOnly(string) bool { return false }

func (w vaultWork) HasConversation(id string) bool { return w.e.VaultTx.Has(vault.Conversations, id) }

func (w vaultWork) ReplaceConversation(h vault.ConversationHead, c *memory.Conversation) error {
	_, err := w.e.Remember(OfConversation, c.ID, func(im *Image) error {
		if !w.e.VaultTx.Has(vault.Conversations, im.ID) {
			return nil
		}
		kept, err := w.e.VaultTx.Keep(im.ID)
		im.Kept = &kept
		return err
	})
	if err != nil {
		return err
	}
	return w.e.StoreConversation(h, c)
}

func (w vaultWork) EmbeddingOf(memoryID string) (embeddingMark, error) {
	if !w.e.VaultTx.Has(vault.Embeddings, memoryID) {
		return embeddingMark{}, nil
	}
	x, err := ReadEmbedding(w.e.VaultTx, memoryID)
	if err != nil {
		return embeddingMark{}, err
	}
	return MarkOf(x)
}

func (w vaultWork) TodoText(id string) ([]byte, error) { return w.e.VaultTx.Find(vault.Todos, id) }

func (w vaultWork) Place(c vault.Collection, id string) (uint64, bool, error) {
	seq, err := w.e.VaultTx.Seq(c, id)
	return seq, true, err
}

func (w vaultWork) DrawnRelations() map[Triple]string { return map[Triple]string{} }

func (w vaultWork) PutUse(memoryID string, u Use) error {
	return wrap(w.e.put(vault.Uses, memoryID, u.Last, u), "store uses")
}

func (w vaultWork) putMemory(old rows.StoredMemory, existed bool, r memory.Record, text []byte, side rows.ProvenanceRecord) error {
	e := w.e
	sideText, err := rows.EncodeJSON(side)
	if err != nil {
		return err
	}
	// drop the embedding first: undo works backwards and restores it after the memory
	if existed && old.Hash != r.ContentHash {
		if err := e.dropRecord(OfEmbedding, r.ID); err != nil {
			return err
		}
	}
	im, err := e.Remember(OfMemory, r.ID, func(im *Image) error {
		im.Before, im.Side = old.Bytes, old.SideBytes
		return nil
	})
	if err != nil {
		return err
	}
	if err := e.VaultTx.Put(vault.Memories, r.ID, r.Temporal.CreatedAt.Time, text); err != nil {
		return fmt.Errorf("store memory: %w", err)
	}
	if !existed || !bytes.Equal(old.SideBytes, sideText) { // an unchanged record is not written again
		if err := e.VaultTx.Put(vault.Sources, r.ID, r.Temporal.CreatedAt.Time, sideText); err != nil {
			return fmt.Errorf("store sources: %w", err)
		}
	}
	im.After = rows.Sum(text)
	return e.putMemoryRow(r, side)
}

func (w vaultWork) PutRelation(rel memory.Relation) error {
	text, err := rows.EncodeJSON(rel)
	if err != nil {
		return err
	}
	if err := w.e.writeRecord(OfRelation, rel.ID, rel.CreatedAt, text); err != nil {
		return err
	}
	w.e.Stage(func(rs *rows.Rows) { rs.PutRelation(rel) })
	return nil
}

func (w vaultWork) putPlain(kind ImageKind, id string, at memory.Time, text []byte) error {
	return w.e.writeRecord(kind, id, at, text)
}

func (w vaultWork) DropPlain(kind ImageKind, id string) error {
	return w.e.dropRecord(kind, id)
}

func (w vaultWork) putEmbedding(x pam.Embedding) error {
	e := w.e
	m, err := rows.NeedMemory(e.VaultTx, x.MemoryID)
	if err != nil {
		return err
	}
	text, err := rows.EncodeJSON(x)
	if err != nil {
		return err
	}
	if err := e.writeRecord(OfEmbedding, x.MemoryID, x.CreatedAt, text); err != nil {
		return err
	}
	return e.putMemoryRow(m.Record, m.Side) // the row gets a new generation, so that incremental exports include it
}

// dryWork implements unitOfWork for a dry run: it writes only to run, and reads from run
// before it reads from the vault.
type dryWork struct {
	vaultWork
	run *DryRun
}

func (w dryWork) Load(id string) (rows.StoredMemory, bool, error) {
	if m, ok := w.run.find(id); ok {
		return m, true, nil
	}
	return w.vaultWork.Load(id)
}

func (w dryWork) Has(memory string) bool { return w.run.has(memory) || w.vaultWork.Has(memory) }

func (w dryWork) Linked(name string) (string, bool) {
	if id, known := w.run.names[KeySum(name)]; known {
		return id, id != ""
	}
	return w.vaultWork.Linked(name)
}

func (w dryWork) Link(name, id string) error {
	w.run.names[KeySum(name)] = id
	return nil
}

func (w dryWork) unname(name string) error { return w.Link(name, "") }

func (w dryWork) ConversationHead(id string) (vault.ConversationHead, error) {
	if h, ok := w.run.conversations[id]; ok {
		return h, nil
	}
	return w.vaultWork.ConversationHead(id)
}

func (w dryWork) IsHeadOnly(conversation string) bool {
	_, ok := w.run.conversations[conversation]
	return ok
}

func (w dryWork) HasConversation(id string) bool {
	return w.IsHeadOnly(id) || w.vaultWork.HasConversation(id)
}

func (w dryWork) ReplaceConversation(h vault.ConversationHead, c *memory.Conversation) error {
	w.run.putConversation(h, c)
	return nil
}

func (w dryWork) EmbeddingOf(memoryID string) (embeddingMark, error) {
	if m, ok := w.run.embeddings[memoryID]; ok {
		return m, nil
	}
	return w.vaultWork.EmbeddingOf(memoryID)
}

func (w dryWork) TodoText(id string) ([]byte, error) {
	if text, ok := w.run.todos[id]; ok {
		return text, nil
	}
	return w.vaultWork.TodoText(id)
}

func (w dryWork) Place(vault.Collection, string) (uint64, bool, error) { return 0, false, nil }

func (w dryWork) DrawnRelations() map[Triple]string { return w.run.Relations }

func (w dryWork) PutUse(string, Use) error { return nil }

func (w dryWork) putMemory(old rows.StoredMemory, existed bool, r memory.Record, _ []byte, side rows.ProvenanceRecord) error {
	if existed && old.Hash != r.ContentHash {
		w.run.embeddings[r.ID] = embeddingMark{}
	}
	w.run.put(r, side)
	return nil
}

func (w dryWork) PutRelation(memory.Relation) error { return nil }

func (w dryWork) putPlain(kind ImageKind, id string, _ memory.Time, text []byte) error {
	if kind == OfTodo {
		w.run.todos[id] = text
	}
	return nil
}

func (w dryWork) DropPlain(kind ImageKind, id string) error {
	if kind == OfTodo {
		w.run.todos[id] = nil
	}
	return nil
}

func (w dryWork) putEmbedding(x pam.Embedding) error {
	mark, err := MarkOf(x)
	w.run.embeddings[x.MemoryID] = mark
	return err
}
