package core

import (
	"bytes"
	"strings"

	"github.com/google/uuid"

	"keepsake/backend/vault"
)

// conversationEntry is what is kept in memory of a conversation: what sorting,
// filters and the search index ask for. It takes 64 bytes and holds no pointer,
// so that a million of them are few to keep and nothing to go over.
type conversationEntry struct {
	mark     uint64
	created  micro // 0 where it is not known
	updated  micro // 0 where it is not known
	id       packedID
	seq      uint32
	messages uint32
	platform word
	project  word
	importID word
}

// lastSeen is when a conversation was last changed at its provider.
func (c *conversationEntry) lastSeen() micro {
	if c.updated == 0 {
		return c.created
	}
	return c.updated
}

// word stands for a text that many rows share; 0 is "".
type word uint32

// words keeps each shared text once.
type words struct {
	texts   []string
	numbers map[string]word
}

func (w *words) text(n word) string {
	if n == 0 {
		return ""
	}
	return w.texts[n-1]
}

func (w *words) number(text string) word {
	if text == "" {
		return 0
	}
	n, ok := w.numbers[text]
	if !ok {
		text = strings.Clone(text) // and not the page it is part of
		w.texts = append(w.texts, text)
		n = word(len(w.texts))
		w.numbers[text] = n
	}
	return n
}

// packedID is an id in 20 bytes: a UUID's own, or a word for any other.
type packedID struct {
	uuid  uuid.UUID
	other word
}

// pack packs an id; number is asked for that of one that is no UUID.
func pack(id string, number func(text string) word) packedID {
	if u, ok := asUUID(id); ok {
		return packedID{uuid: u}
	}
	return packedID{other: number(id)}
}

func (w *words) short(id string) packedID { return pack(id, w.number) }

// known is short for an id that may be nobody's.
func (w *words) known(id string) packedID {
	return pack(id, func(text string) word { return w.numbers[text] })
}

func (w *words) long(id packedID) string {
	if id.other != 0 {
		return w.text(id.other)
	}
	return id.uuid.String()
}

// compareIDs orders as the texts of the ids do.
func (w *words) compareIDs(a, b packedID) int {
	if a.other == 0 && b.other == 0 {
		return bytes.Compare(a.uuid[:], b.uuid[:])
	}
	return strings.Compare(w.long(a), w.long(b))
}

func newConversationTable() table[packedID, conversationEntry] {
	return newTable(func(c *conversationEntry) packedID { return c.id }, func(c *conversationEntry) uint64 { return uint64(c.seq) })
}

// flagUnknownTime is the flag of a row whose created_at is not known.
const flagUnknownTime = 16

// readEntry reads of a row what stays in memory, and passes over the rest: to read all of
// it takes three times as long.
func readEntry(from vault.Row, texts *rowTexts, into *conversationEntry) bool {
	into.seq, into.mark = uint32(from.Seq), from.Mark
	r := newRowReader(from.Text, texts)
	into.id = r.packedID()
	into.platform = texts.numberOf(written(r.bytes()))
	r.bytes() // title
	into.created, into.updated = micro(r.int()), micro(r.int())
	into.messages = uint32(r.uint())
	r.uint()  // branches
	r.bytes() // model
	into.project = texts.numberOf(written(r.bytes()))
	if r.uint()&flagUnknownTime != 0 {
		into.created = 0
	}
	into.importID = texts.numberOf(r.sharedID())
	r.passID() // the provider's
	r.passID() // of the account
	for range 3 {
		r.bytes() // version of the format, sum, version of the reader
	}
	r.uint() // outline
	r.uint()
	for range r.length() {
		r.bytes() // tags
	}
	r.uint()  // generation
	r.bytes() // where else it lies
	return !r.bad
}

// entryOf is what stays in memory of a row; the lock is held.
func (r *rows) entryOf(c *conversationRow) *conversationEntry {
	return &conversationEntry{
		mark: c.mark, created: microOf(c.Began()), updated: microOf(c.UpdatedAt),
		id: r.words.short(c.ID), seq: uint32(c.seq), messages: uint32(c.MessageCount),
		platform: r.words.number(c.Platform), project: r.words.number(c.Project), importID: r.words.number(c.ImportID),
	}
}

func (r *rows) putConversation(entry *conversationEntry) {
	r.dropConversation(entry.id)
	r.conversations.put(entry)
	r.messages += int(entry.messages)
}

func (r *rows) dropConversation(id packedID) {
	if old := r.conversations.drop(id); old != nil {
		r.messages -= int(old.messages)
	}
}

// conversation finds an entry by its id, nil where there is none; the lock is held.
func (r *rows) conversation(id string) *conversationEntry {
	return r.conversations.find(r.words.known(id))
}
