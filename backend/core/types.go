package core

import (
	"slices"
	"time"

	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/format/personal"
	"keepsake/backend/memory"
)

// VaultState is what can be said about the vault. Fields below Unlocked are
// zero while it is locked.
type VaultState struct {
	Exists  bool   `json:"exists"`
	Dir     string `json:"dir"`
	Name    string `json:"name"` // base name of Dir, for people
	VaultID string `json:"vault_id"`
	Format  int    `json:"format"`
	Size    int64  `json:"size"` // bytes on disk
	KDF     string `json:"kdf"`  // "argon2id m=256MiB t=3 p=4"
	WeakKDF bool   `json:"weak_kdf"`
	Slots   []Slot `json:"slots"`
	Frozen  bool   `json:"frozen"`
	// LastBackup is when a backup was made and found good.
	LastBackup memory.Time `json:"last_backup,omitzero"`
	Warning    string      `json:"warning,omitempty"` // reason id: "older-than-before", "cloud-folder", "network-folder"
	Sample     bool        `json:"sample,omitempty"`  // the throw-away vault of TrySample
	Unlocked   bool        `json:"unlocked"`

	// LockedBy is what locked it, where that was not the person. It is known
	// to the process that did.
	LockedBy LockReason `json:"locked_by,omitempty"`

	OwnerID       string      `json:"owner_id,omitempty"`
	DID           string      `json:"did,omitempty"`
	Generation    uint64      `json:"generation,omitempty"`
	LastChanged   memory.Time `json:"last_changed,omitzero"`
	Memories      int         `json:"memories"`
	Conversations int         `json:"conversations"`
	Messages      int         `json:"messages"`
	Relations     int         `json:"relations"`

	LogsReading bool `json:"logs_reading,omitempty"` // the person's own
}

// Slot is one way to open the vault.
type Slot struct {
	Kind      string      `json:"kind"` // "passphrase", "recovery" or "keychain"
	CreatedAt memory.Time `json:"created_at"`
}

// NewVault is what creating a vault gives back, once.
type NewVault struct {
	VaultID     string `json:"vault_id"`
	RecoveryKey string `json:"recovery_key"` // shown once, never stored
	OwnerID     string `json:"owner_id"`
	DID         string `json:"did"`
}

// Input is one thing a person handed over: a path that Go found out about
// (dialog, drop, argument), or an upload already taken in by AddUpload.
type Input struct {
	Path   string
	Upload string // id from AddUpload; wins over Path
	// Fallback names the reader of what nobody recognises: pasted text may be
	// plain lines, which could be anything. "" is none.
	Fallback string
	// Passphrase opens it where it is an encrypted file. The caller clears it.
	Passphrase []byte
	// Account names whose it is where the export itself does not; "" is the
	// default account of its provider.
	Account string

	wrong    *wrongTries // of an import; nil where one file is opened
	original string      // reference of the same bytes in the vault, "" for none
}

// ImportOptions narrows what an import takes.
type ImportOptions struct {
	Provider          string `json:"provider,omitempty"` // importer ID to force; "" = detect
	OnlyMemories      bool   `json:"only_memories,omitempty"`
	OnlyConversations bool   `json:"only_conversations,omitempty"`
	// OnConflict says what becomes of a memory that was changed both here and in
	// a document since they last agreed; "" is keep.
	OnConflict OnConflict `json:"on_conflict,omitempty"`
	// Merge says what becomes of memories and tasks that the vault has already, by
	// their ids; "" is skip_duplicates for documents of the Memory Interchange
	// Format, and for others what OnConflict and their versions say.
	Merge Merge `json:"merge,omitempty"`
	// MergeIn narrows Merge to what the reader with this id gives; "" is all.
	MergeIn string `json:"merge_in,omitempty"`
	// AcceptBroken takes a document although its signature or its sums are wrong.
	AcceptBroken bool `json:"accept_broken,omitempty"`
	// AcceptUnsigned takes a document that says it is from somebody whose key is known,
	// although it is not signed by that key.
	AcceptUnsigned bool `json:"accept_unsigned,omitempty"`
	// AnyBase takes an incremental document although what it builds on is not
	// known here.
	AnyBase bool `json:"any_base,omitempty"`
	// KeepOriginal seals the files as they are into the vault, for Reread.
	KeepOriginal bool `json:"keep_original,omitempty"`
	// Take are ids, here or in the document, of what is to become as the document
	// has it, whoever signed it, and with wider access where it has that.
	Take []string `json:"take,omitempty"`
	// Picks narrows a document to what a person picked; nil takes all of it.
	Picks  *Picks `json:"-"`
	Strict bool   `json:"-"` // for the door: problems are a failure
	DryRun bool   `json:"-"` // Import only counts; nothing is written
	// OnChange is told every change of what is here as it is decided, nil for nobody.
	OnChange func(ImportChange) `json:"-"`
}

func (o *ImportOptions) takes(id string) bool { return id != "" && slices.Contains(o.Take, id) }

// Merge is a strategy of the Memory Interchange Format (its §8).
type Merge string

const (
	SkipDuplicates Merge = "skip_duplicates" // what is here stays
	Overwrite      Merge = "overwrite"       // it becomes as it is there
	Rename         Merge = "rename"          // what is there is taken under a new id
)

// Merges lists the three in the specification's order.
func Merges() []Merge { return []Merge{SkipDuplicates, Overwrite, Rename} }

// mifReader is the id of the reader of the Memory Interchange Format.
const mifReader = "mif"

// mergeAs is the strategy for what a reader gives.
func (o ImportOptions) mergeAs(reader string) Merge {
	switch {
	case o.Merge != "" && (o.MergeIn == "" || o.MergeIn == reader):
		return o.Merge
	case reader == mifReader:
		return SkipDuplicates
	}
	return ""
}

// OnConflict is what becomes of a memory that changed on both sides.
type OnConflict string

const (
	KeepOurs   OnConflict = "keep"   // it stays as it is here
	TakeTheirs OnConflict = "theirs" // it becomes as it is there
	KeepBoth   OnConflict = "both"   // theirs becomes a memory of its own
)

// Picks are the memories of a document that a person chose, by their ids in it.
// What is not named stays as it is here.
type Picks struct {
	Memories map[string]OnConflict `json:"memories"`
	// Fields narrows what is taken of a memory that differs to some of its members,
	// by pointers as in FieldDiff; the rest of it stays as it is here.
	Fields map[string][]string `json:"fields,omitempty"`
}

// ImportPlan says what was recognised, before anything is written.
type ImportPlan struct {
	ID      string       `json:"id"`
	Sources []PlanSource `json:"sources"`
}

// PlanSource is one recognised group of inputs, or one that was not: Fault says why.
type PlanSource struct {
	Names           []string `json:"names"` // base names of the inputs
	Provider        string   `json:"provider"`
	ProviderName    string   `json:"provider_name"`
	Format          string   `json:"format"`
	ImporterVersion string   `json:"importer_version"`
	Certain         bool     `json:"certain"`
	Accounts        []string `json:"accounts"` // ids, as the export names them
	// AccountNames are what the export calls these accounts, by their ids: a name,
	// a mail address or both.
	AccountNames map[string]string `json:"account_names,omitempty"`
	// TakesAccount says that the export names none, and that a person may. Account
	// is what was given.
	TakesAccount bool     `json:"takes_account"`
	Account      string   `json:"account,omitempty"`
	Missing      []string `json:"missing"`
	Bytes        int64    `json:"bytes"`
	Files        int      `json:"files"`
	New          int      `json:"new"`       // conversations not in the vault
	Updated      int      `json:"updated"`   // in the vault, changed in this export
	Unchanged    int      `json:"unchanged"` // in the vault as they stand
	Memories     int      `json:"memories"`  // explicit memories it holds
	// Preview are the first of these memories as they would be stored, in order.
	Preview []PlannedMemory `json:"preview,omitempty"`
	// Problems are what is left of another provider, the first items that could
	// not be read, and what the source says of itself (that more of it remains).
	Problems []ReportProblem `json:"problems,omitempty"`
	Fault    *fault.Error    `json:"-"`
	// Document is what can be said of a Portable AI Memory document before it is
	// taken in, nil for anything else.
	Document *PlanDocument `json:"document,omitempty"`
	// Merging is set for a document of the Memory Interchange Format.
	Merging *PlanMerging `json:"merging,omitempty"`
	// Changes are the first changes of what is here that the source has, taken or
	// kept away; ChangeCount counts all.
	Changes     []ImportChange `json:"changes,omitempty"`
	ChangeCount int            `json:"change_count,omitempty"`
}

// PlanMerging is how the memories and tasks of a document stand to those that are
// here, whatever becomes of them: that is up to the strategy.
type PlanMerging struct {
	New     int `json:"new"`     // not here
	Same    int `json:"same"`    // here, and the same
	Changed int `json:"changed"` // here by their ids, and otherwise
	Said    int `json:"said"`    // their words are here, or before them in the document, under another id
	Tasks   int `json:"tasks"`   // tasks that are here by their ids, and otherwise
}

// PlannedMemory is a statement that an import would take. Known says that the
// vault holds it already.
type PlannedMemory struct {
	Type      memory.Type `json:"type"`
	Content   string      `json:"content"` // its beginning, where it is long
	Section   string      `json:"section,omitempty"`
	CreatedAt memory.Time `json:"created_at,omitzero"`
	Known     bool        `json:"known,omitempty"`
}

// PlanDocument is the verdict on a document, and what a person must agree to
// before it is taken in.
type PlanDocument struct {
	Report      VerifyReport `json:"report"`
	Incremental bool         `json:"incremental"`
	KnownBase   bool         `json:"known_base"` // what it builds on was exported or imported here
	AsksBroken  bool         `json:"asks_broken"`
	// AsksUnsigned says that it names somebody whose key is known, and is not signed.
	AsksUnsigned bool `json:"asks_unsigned,omitempty"`
	AsksBase     bool `json:"asks_base"`
}

// Phase of a running import.
type Phase string

const (
	PhaseRecognising Phase = "recognising" // the files are summed, to know those of an earlier import
	PhaseReading     Phase = "reading"
	PhaseStoring     Phase = "storing"
	PhaseFinished    Phase = "finished"
)

// Progress of a job, sent at most every 200 ms.
type Progress struct {
	Job           string `json:"job"`
	Phase         Phase  `json:"phase"`
	Done          int64  `json:"done"`  // bytes; each phase counts from zero
	Total         int64  `json:"total"` // bytes
	Conversations int    `json:"conversations"`
	Messages      int    `json:"messages"`
	Memories      int    `json:"memories"`
}

// ImportReport is the kept record of one import; the JSON is the contract of
// the `import` command.
type ImportReport struct {
	ImportID      string             `json:"import_id"`
	StartedAt     memory.Time        `json:"started_at"`
	State         string             `json:"state"`   // "done", "partial" (stopped at a whole batch), "undoing" (in part), "undone", "planned" (a dry run)
	Changed       bool               `json:"changed"` // the vault is not as before: there is something to undo
	Sources       []ReportSource     `json:"sources"`
	Conversations ConversationCounts `json:"conversations"`
	Messages      MessageCounts      `json:"messages"`
	Memories      MemoryCounts       `json:"memories"`
	Proposals     NewCount           `json:"proposals"`
	Attachments   AttachmentCounts   `json:"attachments"`
	Relations     RelationCounts     `json:"relations"`
	Todos         TodoCounts         `json:"todos,omitzero"`
	Problems      []ReportProblem    `json:"problems"` // the first 500
	ProblemCount  int                `json:"problem_count"`
	Unknown       map[string]int     `json:"unknown"`
	Ledger        []LedgerRow        `json:"ledger"`
	ElapsedMS     int64              `json:"elapsed_ms"`
	// Identical names the earlier import of the very same files: nothing was
	// read again.
	Identical string `json:"identical,omitempty"`
	// Changes are the first changes of what was here that documents had, taken or
	// kept away; ChangeCount counts all.
	Changes     []ImportChange `json:"changes,omitempty"`
	ChangeCount int            `json:"change_count,omitempty"`
	Options     ImportOptions  `json:"options,omitzero"`
	UndoneAt    memory.Time    `json:"undone_at,omitzero"`
	// Unfinished is set while an import runs and stays where it broke off: the
	// next import of the same conversations looks at them again.
	Unfinished bool `json:"unfinished,omitempty"`
	// NewerReader says that the originals are kept, and that a reader of one of
	// them is newer now than when it was read. It is not stored.
	NewerReader bool `json:"newer_reader,omitempty"`
}

// ReportSource is one input of an import.
type ReportSource struct {
	Path            string `json:"path"` // as handed over; base name for uploads
	Provider        string `json:"provider"`
	Format          string `json:"format"`
	ImporterVersion string `json:"importer_version"`
	SHA256          string `json:"sha256"`
	// Account is whose it is, where a person said so; Accounts are those that the
	// export itself names.
	Account  string   `json:"account,omitempty"`
	Accounts []string `json:"accounts,omitempty"`
	// Missing are parts that the export itself lists and that were not given.
	Missing []string `json:"missing,omitempty"`
	// Of a Portable AI Memory document: the verdict on it, its own export_id, and
	// that of the export it builds on where it is incremental.
	Verdict      Verdict     `json:"verdict,omitempty"`
	Signer       string      `json:"signer,omitempty"` // multibase of the key, where its signature holds
	ExportID     string      `json:"export_id,omitempty"`
	ExportDate   memory.Time `json:"export_date,omitzero"`
	BaseExportID string      `json:"base_export_id,omitempty"`
	Incremental  bool        `json:"incremental,omitempty"`

	// Original is the reference of the file as it was, where it was kept.
	Original string `json:"original,omitempty"`

	// Uploaded says that it came in as bytes: it lies nowhere.
	Uploaded bool `json:"-"`

	name string // as the tree calls it
}

// ConversationCounts of an import.
type ConversationCounts struct {
	New       int `json:"new"`
	Updated   int `json:"updated"`
	Unchanged int `json:"unchanged"`
	Skipped   int `json:"skipped"`
}

// MessageCounts of an import; Total counts those of unchanged conversations too.
type MessageCounts struct {
	New   int `json:"new"`
	Total int `json:"total"`
}

// MemoryCounts of an import: what became of each statement.
type MemoryCounts struct {
	New       int `json:"new"`
	Updated   int `json:"updated"`  // the provider holds it in other words now
	Merged    int `json:"merged"`   // stated once more, by a source not seen before
	Repeated  int `json:"repeated"` // those of Merged that repeat what this import itself brought
	Unchanged int `json:"unchanged"`
	Retracted int `json:"retracted"`
	Kept      int `json:"kept"` // changed at the provider, and left as it was mended here
}

// RelationCounts of an import.
type RelationCounts struct {
	New       int `json:"new"`
	Unchanged int `json:"unchanged"`
}

// TodoCounts of an import.
type TodoCounts struct {
	New       int `json:"new"`
	Updated   int `json:"updated"`
	Unchanged int `json:"unchanged"`
}

// NewCount counts what is new.
type NewCount struct {
	New int `json:"new"`
}

// AttachmentCounts of an import: stored now, and named but not in the export.
type AttachmentCounts struct {
	Stored  int `json:"stored"`
	Missing int `json:"missing"`
}

// ReportProblem is one item that could not be read.
type ReportProblem struct {
	Path    string            `json:"path"`
	At      string            `json:"at"`
	Code    fault.Code        `json:"code"`
	Message string            `json:"message"`
	Reason  string            `json:"reason"`
	Args    map[string]string `json:"args,omitempty"`
}

// LedgerRow accounts for every item of one source:
// Seen = Taken + Merged + Unchanged + all of Skipped + all of Unknown.
type LedgerRow struct {
	Source    string         `json:"source"`
	Seen      int            `json:"seen"`
	Taken     int            `json:"taken"`
	Merged    int            `json:"merged"`
	Unchanged int            `json:"unchanged"`
	Skipped   map[string]int `json:"skipped"`
	Unknown   map[string]int `json:"unknown"`
}

// MemoryQuery selects memories. Empty fields select everything; several values
// of one field are alternatives, fields narrow each other.
type MemoryQuery struct {
	Text         string          `json:"text,omitempty"` // a query as Search reads it, of which the last word may go on
	Types        []memory.Type   `json:"types,omitempty"`
	Categories   []Category      `json:"categories,omitempty"` // of the Personal Memory Specification
	Statuses     []memory.Status `json:"statuses,omitempty"`
	Platforms    []string        `json:"platforms,omitempty"`
	Accounts     []string        `json:"accounts,omitempty"` // that stated it, as the platforms or the person name them
	Tags         []string        `json:"tags,omitempty"`
	Projects     []string        `json:"projects,omitempty"`   // of the conversations that stated it
	Years        []int           `json:"years,omitempty"`      // of created_at, in UTC
	Confidence   []Certainty     `json:"confidence,omitempty"` // as of now
	Conversation string          `json:"conversation,omitempty"`
	HasRelations bool            `json:"has_relations,omitempty"`
	Since        time.Time       `json:"since,omitzero"` // on created_at
	Until        time.Time       `json:"until,omitzero"`
	Sort         string          `json:"sort,omitempty"` // "created", "updated", "type", "platform", "confidence"; "-" before it turns it round; "" = "-created"
	Offset       int             `json:"offset,omitempty"`
	Limit        int             `json:"limit,omitempty"` // at most 200 through a page door; 0 = all
}

// MemoryPage is a window on the memories a query selects.
type MemoryPage struct {
	Items []memory.Record
	// Relations holds how many relations touch each item, in the same order.
	Relations []int
	// Certainty is each item's confidence as of now, which may have decayed.
	Certainty []float64
	// Removed says of each item that the newest whole export of its account does
	// not hold it.
	Removed []bool
	Total   int
}

// Facets counts memories by each facet, over the query without that facet.
type Facets struct {
	Types     map[memory.Type]int
	Statuses  map[memory.Status]int
	Platforms map[string]int
	Accounts  map[string]int
	Tags      map[string]int
	Projects  map[string]int
	Years     map[int]int
	Certainty map[Certainty]int
	Related   int
}

// Certainty is a confidence in a word.
type Certainty string

const (
	HighConfidence   Certainty = "high"   // from 0.8 on
	MediumConfidence Certainty = "medium" // from 0.5 on
	LowConfidence    Certainty = "low"
)

// Certainties lists them, the highest first.
func Certainties() []Certainty {
	return []Certainty{HighConfidence, MediumConfidence, LowConfidence}
}

func certaintyOf(confidence float64) Certainty {
	switch {
	case confidence >= 0.8:
		return HighConfidence
	case confidence >= 0.5:
		return MediumConfidence
	}
	return LowConfidence
}

// MemoryDetail is a memory with what stands around it.
type MemoryDetail struct {
	Record memory.Record
	// ConfidenceNow is computed as of now where the memory decays.
	ConfidenceNow float64
	Curve         Curve // of that confidence
	Relations     []RelatedMemory
	// Conversation is the head of the conversation it came from, nil when none.
	Conversation *ConversationHead
	Sources      []MemorySource
	Next         []memory.Status // legal steps of the lifecycle
	Versions     int             // how often it was changed here
	// Removed says that the newest whole export of its account does not hold it.
	Removed bool
	Use     memory.Use // before this reading
}

// RelatedMemory is one relation seen from a memory.
type RelatedMemory struct {
	Relation memory.Relation
	Outgoing bool // from this memory
	Other    memory.Record
}

// MemorySource is one statement of this memory by a provider.
type MemorySource struct {
	Platform        string      `json:"platform"`
	SourceKey       string      `json:"source_key"`
	ImportID        string      `json:"import_id"`
	ConversationRef string      `json:"conversation_ref,omitempty"`
	MessageRef      string      `json:"message_ref,omitempty"`
	Account         string      `json:"account,omitempty"` // of the platform, where it is known
	SaidAt          memory.Time `json:"said_at,omitzero"`
	// Stated is the content hash of the statement as this source last made it.
	Stated string `json:"stated,omitempty"`
	// Of a memory that a document of Portable AI Memory held: its id and the
	// owner there, and the sum of it as the document last had it.
	OriginalID string `json:"original_id,omitempty"`
	Owner      string `json:"owner,omitempty"`
	Record     string `json:"record,omitempty"`
	// Signer is the key that signed the first of these documents, as multibase; ""
	// where no signature held. What that key signs may change the memory.
	Signer string `json:"signer,omitempty"`
}

// NewMemory is a memory a person writes by hand.
type NewMemory struct {
	Type       memory.Type
	CustomType string
	Content    string
	Tags       []string
	Importance *float64 // from 0 to 1; nil says nothing
	// Conversation and Message say where its words were read, "" for nowhere.
	Conversation string
	Message      string
}

// MemoryEdit changes what is not nil. A zero time clears a validity bound.
type MemoryEdit struct {
	Content    *string
	Type       *memory.Type
	CustomType *string
	Summary    *string
	Domain     *string // metadata.domain (§10); "" clears it
	Language   *string // metadata.language (§10); "" clears it; from then on it is not detected
	Tags       *[]string
	Importance *float64 // metadata.importance, from 0 to 1; below 0 clears it
	ValidFrom  *time.Time
	ValidUntil *time.Time
	Visibility *memory.Visibility
	Exportable *bool
	// SharedWith takes the place of all grants. Where Visibility is nil, a private
	// memory that is shared becomes shared, and a shared one with nobody left
	// private: grants of a private memory would grant nothing.
	SharedWith *[]memory.Grant
}

// Change is one thing that can be undone, newest last.
type Change struct {
	ID   string      `json:"id"`
	At   memory.Time `json:"at"`
	Kind string      `json:"kind"` // "add", "edit", "set-status", "relate", "unrelate", "import", "compact-memories"
	// Subjects are ids of memories or of the import; never content.
	Subjects []string `json:"subjects"`
	// Kept counts, of an import taken back, what stayed because it was changed
	// here or by another import since.
	Kept int `json:"kept,omitempty"`
}

// ConversationQuery selects conversations.
type ConversationQuery struct {
	Text      string // in the title
	Platforms []string
	Accounts  []string
	Since     time.Time
	Until     time.Time
	Sort      string // "updated", "created", "title", "messages"; "" = "-updated"
	Offset    int
	Limit     int
}

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
	ImportID      string      `json:"import_id"`
	NativeID      string      `json:"native_id"`
	AccountID     string      `json:"account_id,omitempty"`
	// Removed says that the newest whole export of its account does not hold it.
	Removed       bool   `json:"removed_at_provider,omitempty"`
	FormatVersion string `json:"format_version,omitempty"`
}

// ConversationPage is a window on conversations.
type ConversationPage struct {
	Items []ConversationHead
	Total int
}

// Talk is a conversation that is given message by message, by Long; Write writes it as
// PAM's companion document (§25).
type Talk = pam.Talk

// Thread is one way through a conversation's graph, first to last.
type Thread struct {
	Head     ConversationHead
	Messages []ThreadMessage
	Total    int // messages on this path; Messages is a window of it
	Said     int // of them, those that a person sees
	Leaf     string
	At       int // where the message that was asked for stands on it; -1 where none was
	// Shared are the addresses under which the conversation was shown to others.
	Shared []string
}

// ThreadMessage is a message and, at a fork, its siblings in order (itself
// included); empty where there is no fork.
type ThreadMessage struct {
	memory.Message
	Siblings []string
	// Memories are ids of memories that came from this message.
	Memories []string
	// Rating is what the person thought of it, nil where they did not say.
	Rating *Rating
}

// ExportOptions of a signed PAM export.
type ExportOptions struct {
	Unsigned             bool
	IncludeConversations bool
	IncludeAttachments   bool
	IncludeEmbeddings    bool
	Statuses             []memory.Status
	Types                []memory.Type
	Tags                 []string // one of them is enough
	Platforms            []string
	Conversations        []string            // only these, and only memories that they stated; nil: all; at most maxNamed
	Categories           []personal.Category // of the Personal Memory Specification: only their memories; nil: all
	For                  string              // entity: leaves out what it may not read, and all conversations
	StripIDs             bool
	Since                memory.Time // only memories that were made then or later; zero: all
	Incremental          bool        // only what is new or changed since Base
	Base                 string      // ExportID of a full export; "" = the newest of the same selection
	Passphrase           []byte      // not nil: the finished file is age-encrypted
	RedactionOptions                 // by default on where it is made for somebody else

	noIndex bool // what is made holds no list of the conversations
}

// ExportPreview says what would leave and what stays, and why.
type ExportPreview struct {
	Memories      int `json:"memories"`
	Relations     int `json:"relations"`
	Conversations int `json:"conversations"`
	Embeddings    int `json:"embeddings"`
	// KeptEmbeddings are in the vault, whether they leave or not.
	KeptEmbeddings int            `json:"kept_embeddings"`
	Excluded       map[string]int `json:"excluded"` // reason → n: "not-exportable", "status", "type", "tag", "platform", "conversation", "not-shared", "unchanged"
	FileName       string         `json:"file_name"`
	Findings       int            `json:"findings"`                 // in what would leave
	FindingsByKind map[string]int `json:"findings_by_kind"`         // kind of redaction → n
	Hidden         int            `json:"hidden"`                   // of the findings
	Unread         int            `json:"unread"`                   // conversations that would leave and were not looked through
	ExportType     string         `json:"export_type"`              // "full" or "incremental"
	BaseExportID   string         `json:"base_export_id,omitempty"` // what an incremental one builds on
	Since          memory.Time    `json:"since,omitzero"`           // and when that left
}

// ExportResult is the certificate of a finished export.
type ExportResult struct {
	Path         string         `json:"path"`
	Bytes        int64          `json:"bytes"`
	ExportID     string         `json:"export_id"`
	ExportDate   memory.Time    `json:"export_date"`
	ExportType   string         `json:"export_type"` // "full" or "incremental"
	BaseExportID string         `json:"base_export_id,omitempty"`
	Since        memory.Time    `json:"since,omitzero"`
	Memories     int            `json:"memories"`
	Excluded     map[string]int `json:"excluded"`
	Checksum     string         `json:"checksum"`
	Signed       bool           `json:"signed"`
	Encrypted    bool           `json:"encrypted"`
	Hidden       int            `json:"hidden"` // places that were hidden
	DID          string         `json:"did,omitempty"`
	Fingerprint  string         `json:"fingerprint,omitempty"` // short hex
	Words        []string       `json:"words,omitempty"`       // the fingerprint in six words
	Covers       []string       `json:"covers"`
	NotCovered   []string       `json:"not_covered"`
	Verdict      string         `json:"verdict"` // of verifying the finished bytes
}

// Preferences are kept outside the vault, in settings.json, and hold no content.
type Preferences struct {
	Language string   `json:"language"` // "", "en", "pt-BR"; "" = follow the system
	Theme    string   `json:"theme"`    // "system", "light", "dark"
	Recent   []string `json:"recent"`   // folders of recent vaults, newest first

	// AutoLockMinutes without a sign of the person lock the vault: 0 (never),
	// 1, 5, 10, 30 or 60.
	AutoLockMinutes int `json:"auto_lock_minutes"`

	// AlwaysProtect has the window write no plain export unless the person turns
	// that off for one (PAM §21.1).
	AlwaysProtect bool `json:"always_protect"`

	Window WindowState `json:"window"`
}

// WindowState is the remembered size of the window, in CSS pixels.
type WindowState struct {
	Width     int  `json:"width"`
	Height    int  `json:"height"`
	Maximised bool `json:"maximised"`
}
