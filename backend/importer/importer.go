package importer

import (
	"context"
	"io"
	"slices"
	"strings"

	"keepsake/backend/fault"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

// Importer reads the exports of one provider. It knows no vault, no page and
// no clock; it only translates a tree into drafts.
type Importer interface {
	Info() Info
	// Sniff looks at names and the first kilobytes of files, never at whole
	// conversations, and says how sure it is. An error means the tree could
	// not be read at all.
	Sniff(ctx context.Context, tree *intake.Tree) (Match, error)
	// Read streams everything the tree holds into sink. One bad item is a
	// Problem and never stops the others; an unreadable source is an error.
	Read(ctx context.Context, tree *intake.Tree, sink Sink) error
}

// Info describes a reader. ID is stable across rebrands; Version is dated and
// old versions stay: "chatgpt/2026.07".
type Info struct {
	ID       string // "chatgpt"
	Name     string // "ChatGPT", for people
	Platform string // provenance.platform, PAM §11.4; "" where what it reads comes from many
	Version  string
	// Documents says that it reads memory stores of Portable AI Memory, of which
	// it can be told who signed them: each is one by itself.
	Documents bool
	// Forks says that what it reads are sessions that can be forked: several begin with
	// one history, whose names stand in HistoryMember.
	Forks bool
}

// Certainty of a match.
type Certainty int

const (
	None Certainty = iota
	Possible
	Certain
)

// Match is what Sniff found out.
type Match struct {
	Certainty Certainty
	Format    string   // stable id of the layout: "sharded", "slim", "privacy-portal", "batch", "parts", "manifest"
	Accounts  []string // account ids seen, where the format names them cheaply
	// Names are what the files call these accounts: a name, a mail address or
	// both. A plan shows them; they are not kept.
	Names   map[string]string
	Missing []string     // parts that the export itself lists and the tree does not hold
	Whole   Whole        // what of its accounts the tree holds all of
	Advice  *fault.Error // set when this is recognised but holds no data by itself (a Claude manifest)
}

// Whole says of what a tree holds all that the provider had of its accounts when
// it was made: what it lacks was removed there, or came later.
type Whole struct{ Conversations, Memories bool }

// Sink takes what an importer finds. Errors it returns come from the receiving
// side (cancelled, disk full) and must be returned unchanged by Read at once.
type Sink interface {
	// Unchanged reports that the conversation with this provider id and this
	// SHA-256 of its raw element is in the vault already as it stands. The
	// importer then skips it, attachments and memories included; it is counted.
	// An id of "" asks by the sum alone.
	Unchanged(nativeID string, sum [32]byte) bool
	// Known is Unchanged by the sum alone, and counts nothing. Unlike all the
	// others it may be called from any goroutine: it is for Stream.Known.
	Known(sum [32]byte) bool
	// Foreseen is how long the element in the vault is that begins so, 0 where
	// there is none: for Stream.Known, too.
	Foreseen(start uint32) (size int)
	// Conversation takes one whole conversation.
	Conversation(ctx context.Context, c ConversationDraft) error
	// Memory takes one explicit memory.
	Memory(ctx context.Context, m MemoryDraft) error
	// Retraction takes a request to no longer hold a fact ("Forget that …").
	// Where exactly one memory matches it is retracted, otherwise it is counted.
	Retraction(ctx context.Context, r RetractionDraft) error
	// Record takes one memory that is whole already, as another vault kept it.
	Record(ctx context.Context, r RecordDraft) error
	// Relation takes one relation between records. It may come before them.
	Relation(ctx context.Context, r RelationDraft) error
	// Todo takes one task.
	Todo(ctx context.Context, t TodoDraft) error
	// Beside takes a piece of a document that has no place of its own here, and is
	// kept as it stands so that it leaves again.
	Beside(ctx context.Context, b BesideDraft) error
	// Embedding takes the vector of a record that was given before it.
	Embedding(ctx context.Context, e EmbeddingDraft) error
	// Attachment stores the bytes sealed and returns the reference to put into
	// memory.Attachment.Ref or memory.Part.Ref. The same bytes give the same ref.
	Attachment(ctx context.Context, a AttachmentDraft) (ref string, err error)
	// Missing counts an attachment the export names but does not hold.
	Missing(name string)
	// Problem records one item that could not be read. It is never fatal.
	Problem(p Problem)
	// Skipped counts an item left out on purpose, by reason (kebab-case:
	// "starter-project", "hidden-context", "empty").
	Skipped(reason string)
	// OtherFile counts a file that the reader took nothing from, because it is none of
	// its format. Another reader is then asked for it.
	OtherFile(f intake.File)
	// Unknown counts something not understood, by kind ("content_type:super_widget"):
	// what it is, and its name as the file has it, of which the sink repeats only
	// what Kind does. It must be kept raw with its message or conversation.
	Unknown(kind string)
	// Progress reports bytes of input consumed so far, of the tree's Size.
	Progress(done int64)
}

// ConversationDraft is a conversation and how to recognise it again.
type ConversationDraft struct {
	memory.Conversation                    // ID is made with ConversationID
	Sum                 [32]byte           // SHA-256 of the raw element, for Sink.Unchanged
	Outline             jsonstream.Outline // of the raw element, for Sink.Foreseen
	File                string             // entry it came from, base name
	Others              []string           `json:",omitempty"` // further entries it came from, base names
	// TimeSource says where a derived created_at came from: "" (the provider's
	// own), "message", or "none" when nothing was known.
	TimeSource string
	// Owner is owner.id of the document that it stands in, "" for an export of a
	// provider.
	Owner string
	// Kept says that import_metadata is of who read the provider's own export,
	// and stays.
	Kept bool
	// Transcript says that only the words are given: a conversation that the vault
	// has from elsewhere says more, and stays.
	Transcript bool `json:",omitempty"`
}

// AlsoFrom notes a further entry that it came from, by its base name.
func (d *ConversationDraft) AlsoFrom(name string) {
	if name != d.File && !slices.Contains(d.Others, name) {
		d.Others = append(d.Others, name)
	}
}

// MemoryDraft is an explicit memory before it gets an id, a hash and UTC times.
type MemoryDraft struct {
	// SourceKey recognises the same statement at the next import of the same
	// account: "bio:<message id>:<n>", "memory-file:<account>:<path>:<n>".
	SourceKey  string
	Type       memory.Type
	Content    string
	Summary    string
	Tags       []string
	Method     memory.Method
	Confidence float64 // initial, 0..1
	Decay      memory.Decay

	ConversationID string // memory.Conversation.ID; "" when it came from no conversation
	MessageID      string // memory.Message.ID
	PlatformUserID string
	CreatedAt      memory.Time // zero = unknown
	UpdatedAt      memory.Time
	ValidFrom      memory.Time
	Language       string         // metadata.language where the source says so
	Metadata       map[string]any // more open metadata (project name, file path…)

	// Entity is what it is a statement about, where relations lead between such things
	// (Between); "" where none do.
	Entity string `json:"-"`

	// File is the file that a statement of no conversation stands in: what it says
	// there twice is said once. "" where that is not known.
	File string `json:"-"`
	// Under is what it stands under in its file, where SourceKey does not say it: the
	// same statement below another head is given again.
	Under string `json:"-"`
}

// IsFirst reports a statement that was not given before, of those whose keys add tells
// to be new. The same below another head has a key of its own.
func (d *MemoryDraft) IsFirst(add func(key string) bool) bool {
	isNew, isNewHere := add(d.SourceKey), add(d.SourceKey+"\x00"+d.Under)
	if !isNew && isNewHere && d.Under != "" {
		d.SourceKey += ":" + Digest(d.Under)
		return true
	}
	return isNew
}

// RetractionDraft names what is no longer to be held, in the words of the source.
type RetractionDraft struct {
	SourceKey      string
	Text           string // the statement without "Forget that"
	ConversationID string
	MessageID      string
	Account        string // of the provider, where it is known
	At             memory.Time
}

// RecordDraft is a memory as a document holds it. Its id, and those it names,
// mean something in documents of the same owner; a UUID means the same thing
// everywhere.
type RecordDraft struct {
	memory.Record
	Owner string // owner.id of the document
	// At is the moment that confidence.current is of; zero where it is not known.
	At memory.Time
	// Delta says that the document holds only what changed since another one.
	Delta bool
	// Says are the members of Record that the document has, as JSON pointers into
	// a memory of PAM, where its format has no place for all; nil is all of them.
	// What it cannot say stays as it is in the vault.
	Says []string `json:",omitempty"`
	// Use is how often the memory was read where it comes from, nil where nobody
	// says so.
	Use *memory.Use `json:",omitempty"`
}

// RelationDraft is a relation as a document holds it.
type RelationDraft struct {
	memory.Relation
	Owner string
	// Kept is in which way the document says it, where the relation alone would
	// not bring that back; "" where it would.
	Kept string `json:",omitempty"`
	// Loose is what is kept where one of its ends is no memory of the vault; ""
	// where nothing is.
	Loose string `json:",omitempty"`
	// Between says what it leads between, in an export whose relations are not between
	// memories; ID, From, To and CreatedAt are empty then.
	Between *Between `json:",omitempty"`
}

// Between is a relation between two things that statements are about. It becomes one
// between the first statement of each.
type Between struct {
	From, To string // as MemoryDraft.Entity has them
	Word     string // the source's own for the relation
	// Otherwise is the sentence that says it, for where one of the two has no statement,
	// and File its file.
	Otherwise MemoryDraft
	File      string
}

// TodoDraft is a task as a document holds it.
type TodoDraft struct {
	memory.Todo
	Owner string
}

// BesideDraft is a piece of a document, as JSON. Name says what of it it is.
type BesideDraft struct {
	Name  string
	Raw   string
	Owner string // of the document, "" where it names none
}

// EmbeddingDraft is the vector of a record's words, or where that lies: one of
// Vector and StorageRef is set.
type EmbeddingDraft struct {
	ID         string // what the record calls it by
	MemoryID   string // of the record, in documents of Owner
	Owner      string
	Model      string
	Dimensions int // of Vector, wherever it lies
	CreatedAt  memory.Time
	Vector     []float64

	StorageType string // "database", "object_storage", "vector_db" or "uri"
	StorageRef  string // never followed
}

// AttachmentDraft is a file of the export. Open may be called once.
type AttachmentDraft struct {
	Name     string // display name
	MIMEType string // sniffed from the bytes where the export says nothing
	Size     int64  // as declared; -1 unknown
	Open     func() (io.ReadCloser, error)
}

// Problem is one item that could not be read.
type Problem struct {
	Path  string // entry in the tree
	At    string // where in it: "conversation 17", "line 4"; no content
	Fault *fault.Error
	// Conversation says that the item was a whole conversation.
	Conversation bool
}

// EmptyConversation is the reason for leaving out a conversation without a
// message; only conversations are skipped for it.
const EmptyConversation = "empty"

// Kind is a kind of Sink.Unknown as a report may show it. Its name comes from the
// file: one that does not look like a name, and may be anybody's words, is "other".
func Kind(kind string) string {
	what, name, _ := strings.Cut(kind, ":")
	odd := func(c rune) bool {
		return c != '_' && c != '-' && c != '.' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
	}
	if name == "" || len(name) > 40 || strings.ContainsFunc(name, odd) {
		name = "other"
	}
	return what + ":" + name
}
