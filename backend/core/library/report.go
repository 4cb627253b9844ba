package library

import (
	"iter"
	"slices"

	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

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
	// OtherFiles lists the first of the files from which nothing was read, those of a
	// recognized kind first. The ledger counts all of them as "other-file".
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
	// Changes are the first differences between the vault and the imported documents,
	// whether they were applied or not; ChangeCount counts all.
	Changes     []ImportChange `json:"changes,omitempty"`
	ChangeCount int            `json:"change_count,omitempty"`
	Options     ImportOptions  `json:"options,omitzero"`
	UndoneAt    memory.Time    `json:"undone_at,omitzero"`
	// Unfinished is set while an import runs and stays where it broke off: the
	// next import of the same conversations looks at them again.
	Unfinished bool `json:"unfinished,omitempty"`
	// Told says that the person knows that the import broke off: a door told them, or
	// LeaveImport noted it. It stays false if the program was killed or a lock stopped
	// the import.
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
	Verdict      pam.Verdict `json:"verdict,omitempty"`
	Signer       string      `json:"signer,omitempty"` // multibase of the key, where its signature holds
	ExportID     string      `json:"export_id,omitempty"`
	ExportDate   memory.Time `json:"export_date,omitzero"`
	BaseExportID string      `json:"base_export_id,omitempty"`
	Incremental  bool        `json:"incremental,omitempty"`

	// Original is the reference of the file as it was, where it was kept.
	Original string `json:"original,omitempty"`

	// Uploaded says that it came in as bytes: it lies nowhere.
	Uploaded bool `json:"-"`

	Name string `json:"-"` // as the tree calls it
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

// Reports yields the reports of all imports, oldest first.
func Reports(tx *vault.Tx) iter.Seq2[ImportReport, error] {
	return decoded(tx, vault.Imports, DecodeReport)
}

// NoteUnfinished tells the rows of a vault which imports broke off.
func NoteUnfinished(v *vault.Vault, rs *rows.Rows) error {
	return v.View(func(tx *vault.Tx) error {
		return ForEach(Reports(tx), func(report ImportReport) { rs.SetUnfinished(report.ImportID, report.Unfinished) })
	})
}

// ReadReports reads the reports of all imports, newest first.
func ReadReports(v *vault.Vault) (all []ImportReport, err error) {
	err = v.View(func(tx *vault.Tx) (err error) {
		all, err = collect(Reports(tx))
		return err
	})
	slices.Reverse(all)
	return all, err
}

// DecodeReport reads a report as it is stored.
func DecodeReport(text []byte) (r ImportReport, err error) {
	err = rows.DecodeJSON(text, "report", &r)
	return r, err
}

// ErrNoImport is the fault of naming an import that is not there.
func ErrNoImport(id string) error {
	return fault.New(fault.NotFound, "no-import", "There is no import with the id {id}.").With("id", rows.ShortID(id))
}

// originalsOf yields the files that imports kept as they were.
func originalsOf(tx *vault.Tx, yield func(ref string)) error {
	return ForEach(Reports(tx), func(report ImportReport) { report.EachOriginal(yield) })
}

// EachOriginal yields the references of the files that were kept.
func (r ImportReport) EachOriginal(yield func(ref string)) {
	for _, source := range r.Sources {
		if source.Original != "" {
			yield(source.Original)
		}
	}
}

// LetGoOfOriginals makes a report name no kept files any more.
func (r *ImportReport) LetGoOfOriginals() {
	for i := range r.Sources {
		r.Sources[i].Original = ""
	}
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
	// Take lists ids, in the vault or in the document, of what becomes as the document
	// has it, whoever signed the document, and even where that widens access.
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

// Takes reports that the person named an id to be taken.
func (o *ImportOptions) Takes(id string) bool { return id != "" && slices.Contains(o.Take, id) }

// Merge is a strategy of the Memory Interchange Format (its §8).
type Merge string

const (
	SkipDuplicates Merge = "skip_duplicates" // what is here stays
	Overwrite      Merge = "overwrite"       // it becomes as it is there
	Rename         Merge = "rename"          // what is there is taken under a new id
)

// Merges lists the three in the specification's order.
func Merges() []Merge { return []Merge{SkipDuplicates, Overwrite, Rename} }

// MIFReader is the id of the reader of the Memory Interchange Format.
const MIFReader = "mif"

// MergeAs is the strategy for what a reader gives.
func (o ImportOptions) MergeAs(reader string) Merge {
	switch {
	case o.Merge != "" && (o.MergeIn == "" || o.MergeIn == reader):
		return o.Merge
	case reader == MIFReader:
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

// KeptFiles counts the files that were kept.
func (r ImportReport) KeptFiles() int {
	n := 0
	r.EachOriginal(func(string) { n++ })
	return n
}

// ImportChange is something of the vault that a document holds in another version, with
// what becomes of it.
type ImportChange struct {
	Kind ChangedKind `json:"kind"`
	ID   string      `json:"id"` // in the vault
	// DocumentID is its id in the document, where that is another one.
	DocumentID string         `json:"document_id,omitempty"`
	Taken      bool           `json:"taken"`         // it becomes as the document has it
	Why        ConflictReason `json:"why,omitempty"` // it stays as it is; "" where it is taken
	Fields     []ChangedField `json:"fields"`
}

// ChangedKind is what a change is of.
type ChangedKind string

// What an import can change.
const (
	ChangedMemory       ChangedKind = "memory"
	ChangedConversation ChangedKind = "conversation"
	ChangedTask         ChangedKind = "task"
	ChangedRelation     ChangedKind = "relation"
	ChangedEmbedding    ChangedKind = "embedding"
)

// ConflictReason is why something stays as it is in the vault.
type ConflictReason = pam.ConflictReason

// The reasons: those of a merge of two documents, and those of a vault.
const (
	ConflictNotSigned                  = pam.ConflictNotSigned
	ConflictOtherSigner                = pam.ConflictOtherSigner
	ConflictNotCovered                 = pam.ConflictNotCovered
	ConflictAccessWider                = pam.ConflictAccessWider
	ConflictEditedHere  ConflictReason = "edited-here"
	ConflictAlreadyHere ConflictReason = "already-here" // as the strategy skip_duplicates has it
)

// ChangedField is a member that differs, named by a JSON pointer. The values are
// JSON, cut to maxChangedText bytes, "" for a member that is not there.
type ChangedField struct {
	Path   string `json:"path"`
	Before string `json:"before"`
	After  string `json:"after"`
}
