package rows

import (
	"bytes"
	"strings"

	"github.com/google/uuid"

	"keepsake/backend/vault"
)

// ConversationEntry is the part of a conversation row that is kept in memory: what
// sorting, filters and the search index need. It takes 64 bytes and holds no pointers, so
// that the garbage collector does not scan a million of them.
type ConversationEntry struct {
	Mark     uint64
	Created  Micro // 0: unknown
	updated  Micro // 0: unknown
	ID       PackedID
	Seq      uint32
	Messages uint32
	Platform Word
	Project  Word
	ImportID Word
}

// LastSeen is when a conversation was last changed at its provider.
func (c *ConversationEntry) LastSeen() Micro {
	if c.updated == 0 {
		return c.Created
	}
	return c.updated
}

// Word is the number of an interned text, one that many rows share; 0 is "".
type Word uint32

// Interner stores each text that many rows share once, and numbers it.
type Interner struct {
	texts   []string
	numbers map[string]Word
}

// Text returns the text that was numbered n.
func (w *Interner) Text(n Word) string {
	if n == 0 {
		return ""
	}
	return w.texts[n-1]
}

func (w *Interner) number(text string) Word {
	if text == "" {
		return 0
	}
	n, ok := w.numbers[text]
	if !ok {
		text = strings.Clone(text) // a substring would keep its whole page in memory
		w.texts = append(w.texts, text)
		n = Word(len(w.texts))
		w.numbers[text] = n
	}
	return n
}

// PackedID holds an id in 20 bytes: a UUID as bytes, or any other id as its Word (number).
type PackedID struct {
	uuid  uuid.UUID
	other Word
}

// pack packs an id. It calls number only for an id that is no UUID, to get its Word.
func pack(id string, number func(text string) Word) PackedID {
	if u, ok := AsUUID(id); ok {
		return PackedID{uuid: u}
	}
	return PackedID{other: number(id)}
}

func (w *Interner) short(id string) PackedID { return pack(id, w.number) }

// Known packs an id, but stores no new text: an unknown id that is no UUID becomes zero.
func (w *Interner) Known(id string) PackedID {
	return pack(id, func(text string) Word { return w.numbers[text] })
}

// Long returns the text of a packed id.
func (w *Interner) Long(id PackedID) string {
	if id.other != 0 {
		return w.Text(id.other)
	}
	return id.uuid.String()
}

// CompareIDs compares two packed ids in the order of their texts.
func (w *Interner) CompareIDs(a, b PackedID) int {
	if a.other == 0 && b.other == 0 {
		return bytes.Compare(a.uuid[:], b.uuid[:])
	}
	return strings.Compare(w.Long(a), w.Long(b))
}

func newConversationTable() Table[PackedID, ConversationEntry] {
	return newTable(func(c *ConversationEntry) PackedID { return c.ID }, func(c *ConversationEntry) uint64 { return uint64(c.Seq) })
}

// flagUnknownTime is the bit in the flags of an encoded row that says TimeIsUnknown.
const flagUnknownTime = 16

// readEntry decodes only the fields of a row that stay in memory and skips the rest:
// decoding all fields would take three times as long.
func readEntry(from vault.Row, texts *Texts, into *ConversationEntry) bool {
	into.Seq, into.Mark = uint32(from.Seq), from.Mark
	r := newRowReader(from.Text, texts)
	into.ID = r.packedID()
	into.Platform = r.number()
	r.bytes() // title
	into.Created, into.updated = Micro(r.int()), Micro(r.int())
	into.Messages = uint32(r.uint())
	r.uint()  // branches
	r.bytes() // model
	into.Project = r.number()
	if r.uint()&flagUnknownTime != 0 {
		into.Created = 0
	}
	into.ImportID = texts.numberOf(r.sharedID())
	r.passID() // NativeID
	r.passID() // AccountID
	for range 3 {
		r.bytes() // FormatVersion, Sum, Importer
	}
	r.uint() // outline
	r.uint()
	for range r.length() {
		r.bytes() // tags
	}
	r.uint()  // generation
	r.bytes() // Elsewhere: a place outside the vault
	return !r.bad
}

// EntryOf returns the part of a conversation's row that stays in RAM. The caller holds
// the lock of r.
func (r *Rows) EntryOf(c *Conversation) *ConversationEntry {
	return &ConversationEntry{
		Mark: c.Mark, Created: MicroOf(c.Began()), updated: MicroOf(c.UpdatedAt),
		ID: r.Words.short(c.ID), Seq: uint32(c.Seq), Messages: uint32(c.MessageCount),
		Platform: r.Words.number(c.Platform), Project: r.Words.number(c.Project), ImportID: r.Words.number(c.ImportID),
	}
}

// PutConversation adds an entry, in place of one with the same id. The caller holds the
// lock.
func (r *Rows) PutConversation(entry *ConversationEntry) {
	r.DropConversation(entry.ID)
	r.Conversations.put(entry)
	r.Messages += int(entry.Messages)
}

// DropConversation removes an entry, if it exists. The caller holds the lock.
func (r *Rows) DropConversation(id PackedID) {
	if old := r.Conversations.drop(id); old != nil {
		r.Messages -= int(old.Messages)
	}
}

// Conversation finds an entry by its id, nil if there is none. The caller holds the lock.
func (r *Rows) Conversation(id string) *ConversationEntry {
	return r.Conversations.Find(r.Words.Known(id))
}
