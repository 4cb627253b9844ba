package library

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

// DryRun holds what a planned import would have changed so far. A transaction with a
// DryRun writes only into it, and reads from it before it reads from the vault, so that
// the same code decides the plan and the import.
type DryRun struct {
	memories      map[string]rows.StoredMemory // by id, up to maxKeptWhole
	more          map[string]told              // by id, a few fields of each memory beyond maxKeptWhole
	names         map[[16]byte]string          // hash (KeySum) of a lookup name → memory id; "": the dry run removed the name
	conversations map[string]vault.ConversationHead
	Relations     map[Triple]string // ids of the added relations
	embeddings    map[string]embeddingMark
	todos         map[string][]byte
	Moved         map[MovedID]string // new ids of conversations whose id in the export another account uses
	Pieces        *SetAsides
}

// NewDryRun returns an empty DryRun.
func NewDryRun() *DryRun {
	return &DryRun{
		memories: map[string]rows.StoredMemory{}, more: map[string]told{}, names: map[[16]byte]string{}, conversations: map[string]vault.ConversationHead{}, Relations: map[Triple]string{},
		embeddings: map[string]embeddingMark{}, todos: map[string][]byte{}, Moved: map[MovedID]string{}, Pieces: NewPieces(),
	}
}

// maxKeptWhole is how many memories a dry run keeps whole, so that its memory use is
// bounded for documents of any length. If two memories beyond it have the same id, the
// plan cannot tell whether the second repeats the first or is another version of it.
const maxKeptWhole = 10_000

// maxWords is the size of content and summary, in bytes, above which a dry run drops
// them. The plan then cannot tell if a second version only redacts parts of the first.
const maxWords = 1 << 10

// told is what a dry run keeps of each memory beyond the first maxKeptWhole: enough to
// decide whether another memory has the same content.
type told struct {
	hash   [32]byte
	status memory.Status
	source string // id of the import that brought it first
}

func (k *DryRun) put(r memory.Record, side rows.ProvenanceRecord) {
	if _, ok := k.memories[r.ID]; ok || len(k.memories) < maxKeptWhole {
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
	_, _ = hex.Decode(t.hash[:], []byte(strings.TrimPrefix(r.ContentHash, hashPrefix))) // cannot fail: it is hex
	k.more[strings.Clone(r.ID)] = t
}

const hashPrefix = "sha256:"

// find returns a memory that the dry run added or changed. If the dry run does not hold
// it whole (see maxKeptWhole), only the fields of told are set.
func (k *DryRun) find(id string) (m rows.StoredMemory, ok bool) {
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

// has reports whether the dry run added or changed a memory.
func (k *DryRun) has(id string) bool {
	_, whole := k.memories[id]
	_, told := k.more[id]
	return whole || told
}

// putConversation records the head of a conversation, for comparison with a later
// version of it.
func (k *DryRun) putConversation(h vault.ConversationHead, c *memory.Conversation) {
	h.ID, h.Temporal, h.Provider, h.ImportMetadata, h.MessageCount, h.Empty = c.ID, c.Temporal, c.Provider, c.ImportMetadata, len(c.Messages), c.EmptyCount()
	h.RawMetadata = nil
	if from := c.RawMetadata[ContinuesMember]; from != nil {
		h.RawMetadata = memory.RawMetadata{ContinuesMember: from}
	}
	k.conversations[c.ID] = h
}

// embeddingMark identifies a version of a memory's embedding. The zero value means that
// there is none.
type embeddingMark struct {
	CreatedAt memory.Time
	sum       [32]byte
}

// MarkOf returns the mark (time and hash) of an embedding.
func MarkOf(x pam.Embedding) (embeddingMark, error) {
	text, err := rows.EncodeJSON(x)
	return embeddingMark{x.CreatedAt, sha256.Sum256(text)}, err
}

// MovedID identifies a conversation by its id in the export and its account. It is used
// if another account has that id, so that the conversation is stored under a new one.
type MovedID struct{ ID, Account string }

// Triple identifies a relation: two relations with equal Triples are duplicates.
type Triple struct {
	From, To string
	Kind     memory.RelationType
}

// ContinuesMember is the member of raw_metadata that names the conversation, and the
// message in it, that a conversation continues. It is set if messages were left out
// because the continued conversation holds them.
const ContinuesMember = "keepsake_continues"

// SetAsides indexes the stored pieces of MIF documents (see BesidePiece), and those that
// the current import adds.
type SetAsides struct {
	read bool
	Says map[[16]byte][16]byte // for each mif.Piece: hash (KeySum) of its key → hash of its newest content
}

// NewPieces returns an empty SetAsides.
func NewPieces() *SetAsides { return &SetAsides{Says: map[[16]byte][16]byte{}} }

// IsLast reports whether piece has the same content as the newest known piece with the
// same key. If not, it records piece as the newest one.
func (p *SetAsides) IsLast(tx *vault.Tx, piece BesidePiece) (bool, error) {
	if !p.read {
		err := EachDocument(tx, func(_ string, kept []mif.Piece) {
			for _, k := range kept {
				p.Says[KeySum(k.Key())] = KeySum(string(k.Raw))
			}
		})
		if err != nil {
			return false, err
		}
		p.read = true
	}
	is, says := KeySum(mif.Piece{Name: piece.Name, Raw: []byte(piece.Raw)}.Key()), KeySum(piece.Raw)
	if p.Says[is] == says {
		return true, nil
	}
	p.Says[is] = says
	return false, nil
}
