package core

import (
	"bytes"
	"strings"
	"sync"

	"github.com/google/uuid"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/vault"
)

// conversationRow is what lists show of a conversation and imports compare. It
// stays sealed in its page until somebody looks at it.
type conversationRow struct {
	ConversationHead
	seq, mark uint64
	sum       [32]byte
	outline   importer.Outline
	importer  string // version of the reader

	empty      int // messages that MessageCount leaves out
	tags       []string
	generation uint64 // of the vault, that it was last written in

	// Of one that only the index of a document knew: that it is such, that nobody
	// counted its messages, and its storage in JSON, "" where none was named.
	alone, uncounted bool
	elsewhere        string
}

func (r *conversationRow) encode() []byte {
	w := rowWriter{rowsVersion}
	w.id(r.ID, "")
	w.text(r.Platform)
	w.text(r.Title)
	w.time(r.CreatedAt)
	w.time(r.UpdatedAt)
	w.uint(uint64(r.MessageCount))
	w.uint(uint64(r.BranchCount))
	w.text(r.Model)
	w.text(r.Project)
	w.flags(r.IsArchived, r.TimeIsDerived, r.alone, r.uncounted)
	w.id(r.ImportID, "")
	w.id(r.NativeID, "")
	w.id(r.AccountID, "")
	w.text(r.FormatVersion)
	w.text(string(r.sum[:]))
	w.text(r.importer)
	w.uint(uint64(r.outline.Start))
	w.uint(uint64(r.outline.Size))
	w.uint(uint64(r.empty))
	w.texts(r.tags)
	w.uint(r.generation)
	w.text(r.elsewhere)
	return w
}

func readConversationRow(from vault.Row, texts *rowTexts, into *conversationRow) bool {
	r := newRowReader(from.Text, texts)
	*into = conversationRow{seq: from.Seq, mark: from.Mark, ConversationHead: ConversationHead{
		ID: r.id(""), Platform: r.word(), Title: r.text(), CreatedAt: r.time(), UpdatedAt: r.time(),
		MessageCount: int(r.uint()), BranchCount: int(r.uint()), Model: r.word(), Project: r.word(),
	}}
	r.flags(&into.IsArchived, &into.TimeIsDerived, &into.alone, &into.uncounted)
	into.ImportID, into.NativeID, into.AccountID, into.FormatVersion = r.sharedID(), r.id(""), r.id(""), r.word()
	copy(into.sum[:], r.bytes())
	into.importer = r.word()
	into.outline = importer.Outline{Start: uint32(r.uint()), Size: int(r.uint())}
	into.empty = int(r.uint())
	into.tags, into.generation, into.elsewhere = r.wordList(), r.uint(), r.text()
	return !r.bad
}

// conversationEntry is what is kept in memory of a conversation: what sorting,
// filters and the search index ask for. It takes 64 bytes and holds no pointer,
// so that a million of them are few to keep and nothing to go over.
type conversationEntry struct {
	mark     uint64
	created  micro
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

func (w *words) short(id string) packedID {
	if u, ok := asUUID(id); ok {
		return packedID{uuid: u}
	}
	return packedID{other: w.number(id)}
}

// known is short for an id that may be nobody's.
func (w *words) known(id string) packedID {
	if u, ok := asUUID(id); ok {
		return packedID{uuid: u}
	}
	return packedID{other: w.numbers[id]}
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

// entryOf is what stays in memory of a row; the lock is held.
func (r *rows) entryOf(c *conversationRow) *conversationEntry {
	return &conversationEntry{
		mark: c.mark, created: microOf(c.CreatedAt), updated: microOf(c.UpdatedAt),
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

// row opens the row of a conversation; ok is false where the transaction sees none.
func (c *conversationEntry) row(tx *vault.Tx) (row conversationRow, ok bool, err error) {
	sealed, err := tx.Row(vault.Conversations, uint64(c.seq))
	if absent(err) {
		return row, false, nil
	}
	if err == nil && !readConversationRow(sealed, textsOf(1), &row) {
		err = errBadRow()
	}
	return row, err == nil, err
}

func errBadRow() error {
	return fault.New(fault.Damaged, "data-damaged", "A row of the vault cannot be read.")
}

// head is what is shown of a conversation, nil where the transaction sees none;
// the lock is not held.
func (v *session) head(tx *vault.Tx, id string) (*ConversationHead, error) {
	r := v.rows
	r.mu.RLock()
	entry := r.conversation(id)
	r.mu.RUnlock()
	if entry == nil {
		return nil, nil
	}
	row, ok, err := entry.row(tx)
	if !ok || err != nil {
		return nil, err
	}
	gone, err := v.removed(tx)
	row.DerivedCount, row.Removed = r.countDerived(row.ID), gone.Conversations.has(row.seq)
	return &row.ConversationHead, err
}

// eachConversationRow opens all rows, in no order, and hands over one at a time.
// take must keep nothing of it without a copy: texts would keep those of many rows, and
// the row is read over.
func eachConversationRow(tx *vault.Tx, take func(*conversationRow)) error {
	var one sync.Mutex
	free := desks[conversationRow]()
	return tx.ScanRows(func(c vault.Collection, page []vault.Row) error {
		if c != vault.Conversations {
			return nil
		}
		d := free.Get().(*desk[conversationRow])
		defer free.Put(d)
		read, good := d.read(page, readConversationRow)
		if !good {
			return errBadRow()
		}
		one.Lock()
		defer one.Unlock()
		for i := range read {
			take(&read[i])
		}
		return nil
	})
}

// known are the conversations that a reader need not look at again, by the first
// half of the sum of the element they were read from: nobody makes another
// element whose sum begins with the same 16 bytes.
type known struct {
	account string // that a person named; "" is the default one
	rows    map[[16]byte]knownRow
	sizes   map[uint32]int // of elements in bytes, by how they begin
}

type knownRow struct {
	mark uint64 // to tell whether it is still the same
	seq  uint32
}

func startOf(sum [32]byte) [16]byte { return [16]byte(sum[:16]) }

func (k known) has(sum [32]byte) bool {
	_, ok := k.rows[startOf(sum)]
	return ok
}

// known lists what a version of a reader has read whole, of one account that a
// person named, or of all others.
func (v *session) known(reader importer.Info, account string) (known, error) {
	k := known{account, map[[16]byte]knownRow{}, map[uint32]int{}}
	err := v.vault.View(func(tx *vault.Tx) error {
		named, err := namedAccounts(tx)
		if err != nil {
			return err
		}
		isOurs := func(row *conversationRow) bool {
			if account != "" {
				return row.AccountID == account
			}
			return len(named) == 0 || !named[reader.ID+"\x00"+row.AccountID]
		}
		return eachConversationRow(tx, func(row *conversationRow) {
			if (reader.Platform == "" || row.Platform == reader.Platform) && row.importer == reader.Version && isOurs(row) && row.sum != ([32]byte{}) && !v.rows.isUnfinished(row.ImportID) {
				k.rows[startOf(row.sum)] = knownRow{row.mark, uint32(row.seq)}
				k.sizes[row.outline.Start] = row.outline.Size
			}
		})
	})
	return k, err
}

// standing finds the conversation of an element that is known, where it still is
// as it was read. Without a provider's id it counts as that, whatever this
// import has replaced since.
func (r *rows) standing(k known, platform, nativeID string, sum [32]byte) (id string, messages int, ok bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	at, ok := k.rows[startOf(sum)]
	row := r.conversations.bySeq.at(uint64(at.seq))
	if !ok || row == nil {
		return "", 0, false
	}
	id, messages = r.words.long(row.id), int(row.messages)
	if nativeID == "" {
		return id, messages, true
	}
	stands := row.mark == at.mark && !r.unfinished[r.words.text(row.importID)]
	return id, messages, stands && id == inAccount(k.account, importer.ConversationID(platform, nativeID))
}
