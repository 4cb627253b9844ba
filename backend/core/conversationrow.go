package core

import (
	"encoding/json"
	"sync"

	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/importer"
	"keepsake/backend/memory"
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

// headOf turns a stored head into a row.
func headOf(h vault.ConversationHead) *conversationRow {
	row := &conversationRow{
		ConversationHead: ConversationHead{
			ID: h.ID, Platform: h.Provider.Name, Title: h.Title,
			CreatedAt: h.Temporal.CreatedAt, UpdatedAt: h.Temporal.UpdatedAt,
			MessageCount: h.Said(), BranchCount: h.OffPath,
			Model: h.Model, Project: projectOf(h.RawMetadata), IsArchived: h.IsArchived,
			TimeIsDerived: h.TimeSource != "", TimeIsUnknown: h.TimeSource == memory.TimeUnknown, ImportID: h.ImportID, NativeID: h.Provider.ConversationID,
			AccountID: h.Provider.AccountID, FormatVersion: h.Provider.ExportFormatVersion,
		},
		sum: h.Sum, outline: importer.Outline{Start: h.Start, Size: h.Size}, tags: h.Tags,
	}
	if count, ok := h.RawMetadata[declaredCountMember]; ok && h.MessageCount == 0 {
		row.alone, row.uncounted = true, string(count) == "null"
		row.MessageCount, row.elsewhere = declaredCount(count), string(h.RawMetadata[storageMember])
	}
	if h.ImportMetadata != nil {
		row.importer = h.ImportMetadata.ImporterVersion
	}
	return row
}

// Of a conversation of which no message is held, but an entry of an index: how many
// it has, null where nobody counted, and where it lies elsewhere.
const declaredCountMember = "keepsake_message_count"

const storageMember = "keepsake_storage"

// ConversationHead is a row of the list and an entry of PAM's conversations_index.
type ConversationHead struct {
	ID            string      `json:"id"`
	Platform      string      `json:"platform"`
	Title         string      `json:"title"`
	CreatedAt     memory.Time `json:"created_at"`
	UpdatedAt     memory.Time `json:"updated_at,omitzero"`
	MessageCount  int         `json:"message_count"`
	BranchCount   int         `json:"branch_count"` // messages off the active path
	DerivedCount  int         `json:"derived_count"`
	Model         string      `json:"model,omitempty"`
	Project       string      `json:"project,omitempty"`
	IsArchived    bool        `json:"is_archived"`
	TimeIsDerived bool        `json:"time_is_derived"`
	// TimeIsUnknown says that CreatedAt is the moment of the import, because nothing in
	// the export has a time.
	TimeIsUnknown bool   `json:"time_is_unknown,omitempty"`
	ImportID      string `json:"import_id"`
	NativeID      string `json:"native_id"`
	AccountID     string `json:"account_id,omitempty"`
	// Removed says that the newest whole export of its account does not hold it.
	Removed       bool   `json:"removed_at_provider,omitempty"`
	FormatVersion string `json:"format_version,omitempty"`
}

// Began is CreatedAt, zero where it only stands for an unknown time.
func (h ConversationHead) Began() memory.Time {
	if h.TimeIsUnknown {
		return memory.Time{}
	}
	return h.CreatedAt
}

// declaredCount is how many messages a conversation has of which none are held:
// a document named it in its index.
func declaredCount(raw json.RawMessage) (n int) {
	_ = json.Unmarshal(raw, &n) // what is no number is none
	return max(n, 0)
}

// projectOf is the name of the project a conversation belongs to, "" where the
// export gives none: most name no project, or only its id.
func projectOf(raw memory.RawMetadata) string {
	var project struct {
		Name string `json:"name"`
	}
	_ = json.Unmarshal(raw["project"], &project) // what has another shape has no name
	return project.Name
}

// IndexEntry is the head as PAM's conversations_index writes it, without the
// memories derived from it.
func (h ConversationHead) IndexEntry() pam.IndexEntry {
	return pam.IndexEntry{
		ID: h.ID, Platform: h.Platform, Title: h.Title, MessageCount: new(h.MessageCount),
		Temporal: memory.ConversationTemporal{CreatedAt: h.CreatedAt, UpdatedAt: h.UpdatedAt}, Undated: h.TimeIsUnknown,
	}
}
