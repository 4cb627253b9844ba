package core

import (
	"slices"

	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

// Input is one thing a person handed over: a path that Go found out about
// (dialog, drop, argument), or an upload already taken in by AddUpload.
type Input struct {
	Path   string
	Upload string // id from AddUpload; wins over Path
	// Fallback is the id of the importer to use when detection finds none, as for pasted
	// text in plain lines; "" for no fallback.
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
	// OnChange, if not nil, is called with every change to the vault once it is decided.
	OnChange func(ImportChange) `json:"-"`
	// OnLook is the progress callback of PlanImport, in bytes read; nil for none.
	OnLook func(done, total int64) `json:"-"`
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
	New          int      `json:"new"`          // conversations not in the vault
	Updated      int      `json:"updated"`      // in the vault, changed in this export
	Unchanged    int      `json:"unchanged"`    // in the vault as they stand
	Memories     int      `json:"memories"`     // explicit memories it holds, each once
	MemoriesNew  int      `json:"memories_new"` // of them not in the vault
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
	// OtherFiles are the first of the files that nothing was read of, those before the
	// others that look like something; the ledger counts all as "other-file".
	OtherFiles []OtherFile    `json:"other_files,omitempty"`
	Unknown    map[string]int `json:"unknown"`
	// AnswersWithoutText counts messages of an assistant that were taken and have no text,
	// by what they hold instead: "call", "thought", "image", "metadata" …
	AnswersWithoutText map[string]int `json:"answers_without_text,omitempty"`
	Ledger             []LedgerRow    `json:"ledger"`
	ElapsedMS          int64          `json:"elapsed_ms"`
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
	// Told says that whoever was there was told that it broke off. A program that was
	// ended told nobody.
	Told bool `json:"told,omitempty"`
	// Open says that it broke off, and that no later import read the same files to
	// their end. It is not stored.
	Open bool `json:"open,omitempty"`
	// NewerReader says that the originals are kept, and that a reader of one of
	// them is newer now than when it was read. It is not stored.
	NewerReader bool `json:"newer_reader,omitempty"`
}

// OtherFile is a file that nothing was read of. LooksLike names what it could be read as by
// itself, or the program that it is of; "" where that cannot be told.
type OtherFile struct {
	Path      string `json:"path"`
	Size      int64  `json:"size"`
	LooksLike string `json:"looks_like,omitempty"`
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
	// AccountNames are what the export calls these, by their ids, as in a plan.
	AccountNames map[string]string `json:"account_names,omitempty"`
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
	// United are those of New and Updated that were put together of versions each of which
	// lacks messages of another.
	United int `json:"united,omitempty"`
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

// Known is how many of the memories of an import were here before it, in these words
// or in others.
func (c MemoryCounts) Known() int { return c.Merged - c.Repeated + c.Unchanged + c.Updated }

// Found is how many memories an import met, each once: the new ones and the known.
func (c MemoryCounts) Found() int { return c.New + c.Known() }

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
