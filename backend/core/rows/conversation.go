package rows

import (
	"encoding/json"
	"sync"

	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// Conversation is the full row of a conversation: the fields that lists show and imports
// compare. It does not stay in RAM but is decrypted from its page when needed.
type Conversation struct {
	ConversationHead
	Seq, Mark uint64
	Sum       [32]byte
	Outline   jsonstream.Outline
	Importer  string // version of the importer that read it

	Tags       []string
	Generation uint64 // change counter of the vault when the row was last written

	// Alone says that the vault has only an entry from a document's index, no messages;
	// Uncounted, that this entry had no message count. Elsewhere is the place outside the
	// vault where the entry says that the conversation is stored, as JSON, or "".
	Alone, Uncounted bool
	Elsewhere        string
}

// Encode returns the stored form of a row, which ReadConversation decodes.
func (r *Conversation) Encode() []byte {
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
	w.flags(r.IsArchived, r.TimeIsDerived, r.Alone, r.Uncounted, r.TimeIsUnknown)
	w.id(r.ImportID, "")
	w.id(r.NativeID, "")
	w.id(r.AccountID, "")
	w.text(r.FormatVersion)
	w.text(string(r.Sum[:]))
	w.text(r.Importer)
	w.uint(uint64(r.Outline.Start))
	w.uint(uint64(r.Outline.Size))
	w.texts(r.Tags)
	w.uint(r.Generation)
	w.text(r.Elsewhere)
	return w
}

// ReadConversation decodes a stored row into into. It returns false if the row is damaged
// or of another version.
func ReadConversation(from vault.Row, texts *Texts, into *Conversation) bool {
	r := newRowReader(from.Text, texts)
	*into = Conversation{Seq: from.Seq, Mark: from.Mark, ConversationHead: ConversationHead{
		ID: r.id(""), Platform: r.word(), Title: r.text(), CreatedAt: r.time(), UpdatedAt: r.time(),
		MessageCount: int(r.uint()), BranchCount: int(r.uint()), Model: r.word(), Project: r.word(),
	}}
	r.flags(&into.IsArchived, &into.TimeIsDerived, &into.Alone, &into.Uncounted, &into.TimeIsUnknown)
	into.ImportID, into.NativeID, into.AccountID, into.FormatVersion = r.sharedID(), r.id(""), r.id(""), r.word()
	copy(into.Sum[:], r.bytes())
	into.Importer = r.word()
	into.Outline = jsonstream.Outline{Start: uint32(r.uint()), Size: int(r.uint())}
	into.Tags, into.Generation, into.Elsewhere = r.wordList(), r.uint(), r.text()
	return !r.bad
}

// Row decrypts and decodes the full row of a conversation; ok is false if the transaction
// does not see it.
func (c *ConversationEntry) Row(tx *vault.Tx) (row Conversation, ok bool, err error) {
	sealed, err := tx.Row(vault.Conversations, uint64(c.Seq))
	if IsAbsent(err) {
		return row, false, nil
	}
	if err == nil && !ReadConversation(sealed, NewTexts(), &row) {
		err = errBadRow()
	}
	return row, err == nil, err
}

func errBadRow() error {
	return fault.New(fault.Damaged, "data-damaged", "A row of the vault cannot be read.")
}

// EachConversation decodes the rows of all conversations, in no order, and calls take for
// one at a time. take must copy what it keeps: the row is reused, and a kept string would
// keep the strings of many other rows in memory.
func EachConversation(tx *vault.Tx, take func(*Conversation)) error {
	var one sync.Mutex
	free := desks[Conversation](nil)
	return tx.RowsOf(vault.Conversations, func(page []vault.Row) error {
		d := free.Get().(*desk[Conversation])
		defer free.Put(d)
		read, good := d.read(page, ReadConversation)
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

// HeadOf builds a conversation's row from its stored record. Seq and Mark are not set.
func HeadOf(h vault.ConversationHead) *Conversation {
	row := &Conversation{
		ConversationHead: ConversationHead{
			ID: h.ID, Platform: h.Provider.Name, Title: h.Title,
			CreatedAt: h.Temporal.CreatedAt, UpdatedAt: h.Temporal.UpdatedAt,
			MessageCount: h.Said(), BranchCount: h.OffPath,
			Model: h.Model, Project: ProjectOf(h.RawMetadata), IsArchived: h.IsArchived,
			TimeIsDerived: h.TimeSource != "", TimeIsUnknown: h.TimeSource == memory.TimeUnknown, ImportID: h.ImportID, NativeID: h.Provider.ConversationID,
			AccountID: h.Provider.AccountID, FormatVersion: h.Provider.ExportFormatVersion,
		},
		Sum: h.Sum, Outline: jsonstream.Outline{Start: h.Start, Size: h.Size}, Tags: h.Tags,
	}
	if count, ok := h.RawMetadata[declaredCountMember]; ok && h.MessageCount == 0 {
		row.Alone, row.Uncounted = true, string(count) == "null"
		row.MessageCount, row.Elsewhere = declaredCount(count), string(h.RawMetadata[storageMember])
	}
	if h.ImportMetadata != nil {
		row.Importer = h.ImportMetadata.ImporterVersion
	}
	return row
}

// declaredCountMember and storageMember are members of the raw_metadata of a conversation
// of which the vault has only an index entry: the entry's message count (null: not
// counted), and where the entry says that the conversation is stored.
const declaredCountMember = "keepsake_message_count"

const storageMember = "keepsake_storage"

// ConversationHead describes a conversation in lists and in PAM's conversations_index.
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
	// Removed says that the newest complete export of its account lacks the conversation.
	Removed       bool   `json:"removed_at_provider,omitempty"`
	FormatVersion string `json:"format_version,omitempty"`
}

// Began returns CreatedAt, or the zero time if the time is unknown (TimeIsUnknown).
func (h ConversationHead) Began() memory.Time {
	if h.TimeIsUnknown {
		return memory.Time{}
	}
	return h.CreatedAt
}

// declaredCount decodes the message count that a document's index declares for a
// conversation of which the vault has no messages.
func declaredCount(raw json.RawMessage) (n int) {
	_ = json.Unmarshal(raw, &n) // anything but a number counts as 0
	return max(n, 0)
}

// ProjectOf returns the name of a conversation's project from its raw metadata, "" if
// there is none: most exports name no project, or only its id.
func ProjectOf(raw memory.RawMetadata) string {
	var project struct {
		Name string `json:"name"`
	}
	_ = json.Unmarshal(raw["project"], &project) // on an error the name stays ""
	return project.Name
}

// IndexEntry converts the head to an entry of PAM's conversations_index, without the
// memories derived from the conversation.
func (h ConversationHead) IndexEntry() pam.IndexEntry {
	return pam.IndexEntry{
		ID: h.ID, Platform: h.Platform, Title: h.Title, MessageCount: new(h.MessageCount),
		Temporal: memory.ConversationTemporal{CreatedAt: h.CreatedAt, UpdatedAt: h.UpdatedAt}, Undated: h.TimeIsUnknown,
	}
}
