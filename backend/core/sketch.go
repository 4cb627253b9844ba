package core

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"keepsake/backend/core/rows"
	"keepsake/backend/format/mif"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// sketch is what a planned import would have changed by now. An edit that has one
// writes there and nowhere else, and looks there before it looks into the vault, so
// that a plan decides as the import does: by the same code.
type sketch struct {
	memories      map[string]rows.StoredMemory // by id, up to maxSketched
	more          map[string]told              // those beyond
	names         map[[16]byte]string          // sum of what a memory is found by → its id, "" for none any more
	conversations map[string]vault.ConversationHead
	relations     map[triple]string // → id
	embeddings    map[string]embeddingMark
	todos         map[string][]byte
	moved         map[movedID]string
	pieces        *setAsides
}

func newSketch() *sketch {
	return &sketch{
		memories: map[string]rows.StoredMemory{}, more: map[string]told{}, names: map[[16]byte]string{}, conversations: map[string]vault.ConversationHead{}, relations: map[triple]string{},
		embeddings: map[string]embeddingMark{}, todos: map[string][]byte{}, moved: map[movedID]string{}, pieces: newPieces(),
	}
}

// maxSketched is how many memories a sketch keeps whole, so that a plan of a document
// of any length needs little. Of others it is not told whether one that comes again
// under the same id is another version.
const maxSketched = 10_000

// maxWords is how many bytes of text of one memory are kept with it: of longer ones,
// too, it is not told whether another version hides something only.
const maxWords = 1 << 10

// told is what of a memory tells whether another says the same.
type told struct {
	hash   [32]byte
	status memory.Status
	source string // the import it came with first
}

func (k *sketch) put(r memory.Record, side rows.ProvenanceRecord) {
	if _, ok := k.memories[r.ID]; ok || len(k.memories) < maxSketched {
		if len(r.Content)+len(r.Summary) > maxWords {
			r.Content, r.Summary = "", ""
		}
		k.memories[r.ID] = rows.StoredMemory{Record: r, Side: side, Hash: r.ContentHash}
		return
	}
	t := told{status: r.Status}
	if len(side.Sources) > 0 {
		t.source = side.Sources[0].ImportID
	}
	_, _ = hex.Decode(t.hash[:], []byte(strings.TrimPrefix(r.ContentHash, hashPrefix))) // it was made here
	k.more[strings.Clone(r.ID)] = t
}

const hashPrefix = "sha256:"

// find is a memory of the sketch.
func (k *sketch) find(id string) (m rows.StoredMemory, ok bool) {
	if m, ok := k.memories[id]; ok {
		m.Metadata, m.Side.Sources = maps.Clone(m.Metadata), slices.Clone(m.Side.Sources)
		return m, true
	}
	t, ok := k.more[id]
	m.ID, m.Status, m.Hash = id, t.status, hashPrefix+hex.EncodeToString(t.hash[:])
	m.ContentHash = m.Hash
	m.Side.Sources = []rows.MemorySource{{ImportID: t.source}}
	return m, ok
}

// has reports a memory of the sketch; there may be none.
func (k *sketch) has(id string) bool {
	if k == nil {
		return false
	}
	_, whole := k.memories[id]
	_, told := k.more[id]
	return whole || told
}

// load is load with what this edit has changed.
func (e *edit) load(id string) (m rows.StoredMemory, ok bool, err error) {
	if e.sketch != nil {
		if m, ok := e.sketch.find(id); ok {
			return m, true, nil
		}
	}
	return rows.LoadMemory(e.tx, id)
}

func (e *edit) has(memory string) bool {
	return e.sketch.has(memory) || e.tx.Has(vault.Memories, memory)
}

// linked finds a memory by one of its names.
func (e *edit) linked(name string) (id string, ok bool) {
	if e.sketch != nil {
		if id, known := e.sketch.names[keySum(name)]; known {
			return id, id != ""
		}
	}
	return e.tx.Linked(vault.Memories, name)
}

func (e *edit) link(name, id string) error {
	if e.sketch != nil {
		e.sketch.names[keySum(name)] = id
		return nil
	}
	return e.tx.Link(vault.Memories, name, id)
}

// unname takes back what link did.
func (e *edit) unname(name string) error {
	if e.sketch != nil {
		e.sketch.names[keySum(name)] = ""
		return nil
	}
	return e.tx.Unlink(vault.Memories, name)
}

// conversationHead is a fault like the vault's where there is no such conversation.
func (e *edit) conversationHead(id string) (vault.ConversationHead, error) {
	if e.sketch != nil {
		if h, ok := e.sketch.conversations[id]; ok {
			return h, nil
		}
	}
	return e.tx.ConversationHead(id)
}

func (e *edit) hasConversation(id string) bool {
	return e.sketched(id) || e.tx.Has(vault.Conversations, id)
}

// sketched says that only the head of a conversation is known.
func (e *edit) sketched(conversation string) bool {
	if e.sketch == nil {
		return false
	}
	_, ok := e.sketch.conversations[conversation]
	return ok
}

// sketchConversation keeps of a conversation what another version is held against.
func (k *sketch) sketchConversation(h vault.ConversationHead, c *memory.Conversation) {
	h.ID, h.Temporal, h.Provider, h.ImportMetadata, h.MessageCount, h.Empty = c.ID, c.Temporal, c.Provider, c.ImportMetadata, len(c.Messages), c.EmptyCount()
	h.RawMetadata = nil
	if from := c.RawMetadata[continuesMember]; from != nil {
		h.RawMetadata = memory.RawMetadata{continuesMember: from}
	}
	k.conversations[c.ID] = h
}

// embeddingMark is by what one embedding of a memory is told from another. The
// zero value stands for none.
type embeddingMark struct {
	CreatedAt memory.Time
	sum       [32]byte
}

func markOf(x pam.Embedding) (embeddingMark, error) {
	text, err := rows.EncodeJSON(x)
	return embeddingMark{x.CreatedAt, sha256.Sum256(text)}, err
}

// embeddingOf is the mark of the embedding that a memory has.
func (e *edit) embeddingOf(memoryID string) (embeddingMark, error) {
	if e.sketch != nil {
		if m, ok := e.sketch.embeddings[memoryID]; ok {
			return m, nil
		}
	}
	if !e.tx.Has(vault.Embeddings, memoryID) {
		return embeddingMark{}, nil
	}
	x, err := readEmbedding(e.tx, memoryID)
	if err != nil {
		return embeddingMark{}, err
	}
	return markOf(x)
}

// todoText is a task as it is stored, nil where there is none.
func (e *edit) todoText(id string) ([]byte, error) {
	if e.sketch != nil {
		if text, ok := e.sketch.todos[id]; ok {
			return text, nil
		}
	}
	return e.tx.Find(vault.Todos, id)
}

// movedID is the id of a conversation as the reader of an account gives it.
type movedID struct{ id, account string }

// triple is what makes a relation the same as another.
type triple struct {
	from, to string
	kind     memory.RelationType
}

// continuesMember of raw_metadata names the conversation that one goes on from, and the
// message, where messages were left out because that one holds them.
const continuesMember = "keepsake_continues"

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
