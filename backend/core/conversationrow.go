package core

import (
	"sync"

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
	w.flags(r.IsArchived, r.TimeIsDerived, r.alone, r.uncounted, r.TimeIsUnknown)
	w.id(r.ImportID, "")
	w.id(r.NativeID, "")
	w.id(r.AccountID, "")
	w.text(r.FormatVersion)
	w.text(string(r.sum[:]))
	w.text(r.importer)
	w.uint(uint64(r.outline.Start))
	w.uint(uint64(r.outline.Size))
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
	r.flags(&into.IsArchived, &into.TimeIsDerived, &into.alone, &into.uncounted, &into.TimeIsUnknown)
	into.ImportID, into.NativeID, into.AccountID, into.FormatVersion = r.sharedID(), r.id(""), r.id(""), r.word()
	copy(into.sum[:], r.bytes())
	into.importer = r.word()
	into.outline = importer.Outline{Start: uint32(r.uint()), Size: int(r.uint())}
	into.tags, into.generation, into.elsewhere = r.wordList(), r.uint(), r.text()
	return !r.bad
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
	row, err := v.row(tx, id)
	if row == nil {
		return nil, err
	}
	return &row.ConversationHead, err
}

// row is the row of a conversation with what is known of it beside, nil where there
// is none.
func (v *session) row(tx *vault.Tx, id string) (*conversationRow, error) {
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
	return &row, err
}

// eachConversationRow opens all rows of conversations, in no order, and hands over one at a time.
// take must keep nothing of it without a copy: texts would keep those of many rows, and
// the row is read over.
func eachConversationRow(tx *vault.Tx, take func(*conversationRow)) error {
	var one sync.Mutex
	free := desks[conversationRow](nil)
	return tx.RowsOf(vault.Conversations, func(page []vault.Row) error {
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
