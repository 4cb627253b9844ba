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

// ImportReport is the stored report of one import. Its JSON is the output format of the
// command `keepsake import`, so it must stay compatible.
type ImportReport struct {
	ImportID      string             `json:"import_id"`
	StartedAt     memory.Time        `json:"started_at"`
	State         string             `json:"state"`   // "done", "partial" (stopped at a whole batch), "undoing" (in part), "undone", "planned" (a dry run)
	Changed       bool               `json:"changed"` // the import changed the vault, so it can be undone
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
	// AnswersWithoutText counts imported messages of an assistant that have no text, by
	// what they hold instead: "call", "thought", "image", "metadata" …
	AnswersWithoutText map[string]int `json:"answers_without_text,omitempty"`
	Ledger             []LedgerRow    `json:"ledger"`
	ElapsedMS          int64          `json:"elapsed_ms"`
	// Identical is the id of an earlier import of the same files. If it is set, the files
	// were not read again.
	Identical string `json:"identical,omitempty"`
	// Changes are the first differences between the vault and the imported documents,
	// whether they were applied or not; ChangeCount counts all.
	Changes     []ImportChange `json:"changes,omitempty"`
	ChangeCount int            `json:"change_count,omitempty"`
	Options     ImportOptions  `json:"options,omitzero"`
	UndoneAt    memory.Time    `json:"undone_at,omitzero"`
	// Unfinished is set while an import runs, and stays set if it broke off. The next
	// import of the same conversations then compares them again.
	Unfinished bool `json:"unfinished,omitempty"`
	// Told says that the user knows that the import broke off: a user interface said so,
	// or LeaveImport was called. It stays false if the program was killed or the vault
	// locked during the import.
	Told bool `json:"told,omitempty"`
	// Open says that the import broke off, and that no later import read the same files to
	// their end. It is computed, not stored.
	Open bool `json:"open,omitempty"`
	// NewerReader says that the original files are in the vault, and that the reader for
	// one of them has a newer version now. It is computed, not stored.
	NewerReader bool `json:"newer_reader,omitempty"`
}

// OtherFile is a file of an import from which nothing was read. LooksLike is the format
// that the file could be imported as by itself, or the program that it belongs to; "" if
// unknown.
type OtherFile struct {
	Path      string `json:"path"`
	Size      int64  `json:"size"`
	LooksLike string `json:"looks_like,omitempty"`
}

// ReportSource is one input of an import.
type ReportSource struct {
	Path            string `json:"path"` // as given by the user; base name for uploads
	Provider        string `json:"provider"`
	Format          string `json:"format"`
	ImporterVersion string `json:"importer_version"`
	SHA256          string `json:"sha256"`
	// Account is the account of the export, if the user named one; Accounts are those that
	// the export itself names.
	Account  string   `json:"account,omitempty"`
	Accounts []string `json:"accounts,omitempty"`
	// AccountNames are the display names of Accounts in the export, by account id.
	AccountNames map[string]string `json:"account_names,omitempty"`
	// Missing lists the parts of the export that the export itself names and that were
	// not among the given files.
	Missing []string `json:"missing,omitempty"`
	// Only of a Portable AI Memory document: the result of its validation, its export_id,
	// and the export_id of the export that it builds on if it is incremental.
	Verdict      pam.Verdict `json:"verdict,omitempty"`
	Signer       string      `json:"signer,omitempty"` // key of a valid signature, as multibase
	ExportID     string      `json:"export_id,omitempty"`
	ExportDate   memory.Time `json:"export_date,omitzero"`
	BaseExportID string      `json:"base_export_id,omitempty"`
	Incremental  bool        `json:"incremental,omitempty"`

	// Original is the blob reference of the original file, if it was stored in the vault.
	Original string `json:"original,omitempty"`

	// Uploaded says that the file was passed as bytes, so that it has no path on disk.
	Uploaded bool `json:"-"`

	Name string `json:"-"` // name of the file among the inputs of the import
}

// ConversationCounts of an import.
type ConversationCounts struct {
	New       int `json:"new"`
	Updated   int `json:"updated"`
	Unchanged int `json:"unchanged"`
	Skipped   int `json:"skipped"`
	// United counts those of New and Updated that were merged from several versions, each
	// of which lacks messages of another.
	United int `json:"united,omitempty"`
}

// MessageCounts of an import. Total includes the messages of unchanged conversations.
type MessageCounts struct {
	New   int `json:"new"`
	Total int `json:"total"`
}

// MemoryCounts of an import: the statements that it read, by outcome.
type MemoryCounts struct {
	New       int `json:"new"`
	Updated   int `json:"updated"`  // a known memory, changed to the new version of its provider or document
	Merged    int `json:"merged"`   // a known memory, stated by a source not seen before
	Repeated  int `json:"repeated"` // those of Merged whose memory this same import added
	Unchanged int `json:"unchanged"`
	Retracted int `json:"retracted"`
	Kept      int `json:"kept"` // changed at the provider, but stays as the user edited it here
}

// Known is the number of statements in an import whose memory was in the vault before the
// import, in the same words or in others. It excludes Kept.
func (c MemoryCounts) Known() int { return c.Merged - c.Repeated + c.Unchanged + c.Updated }

// Found is the number of statements in an import: New and Known, without Repeated and Kept.
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

// NewCount is the count for records of which an import counts only new ones.
type NewCount struct {
	New int `json:"new"`
}

// AttachmentCounts of an import: attachments that it stored, and attachments that the
// export names but does not contain.
type AttachmentCounts struct {
	Stored  int `json:"stored"`
	Missing int `json:"missing"`
}

// ReportProblem is one problem of an import, such as an unreadable item or a conflict.
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
	return rows.EachJSON[ImportReport](tx, vault.Imports, "report")
}

// NoteUnfinished sets in rs which imports of a vault broke off.
func NoteUnfinished(v *vault.Vault, rs *rows.Rows) error {
	return v.View(func(tx *vault.Tx) error {
		return ForEach(Reports(tx), func(report ImportReport) { rs.SetUnfinished(report.ImportID, report.Unfinished) })
	})
}

// ReadReports reads the reports of all imports, newest first.
func ReadReports(v *vault.Vault) (all []ImportReport, err error) {
	err = v.View(func(tx *vault.Tx) (err error) {
		all, err = Collect(Reports(tx))
		return err
	})
	slices.Reverse(all)
	return all, err
}

// ErrNoImport returns the error for an id that no import has.
func ErrNoImport(id string) error {
	return fault.New(fault.NotFound, "no-import", "There is no import with the id {id}.").With("id", rows.ShortID(id))
}

// originalsOf yields the references of the original files that imports stored.
func originalsOf(tx *vault.Tx, yield func(ref string)) error {
	return ForEach(Reports(tx), func(report ImportReport) { report.EachOriginal(yield) })
}

// EachOriginal yields the references of the original files that the import stored.
func (r ImportReport) EachOriginal(yield func(ref string)) {
	for _, source := range r.Sources {
		if source.Original != "" {
			yield(source.Original)
		}
	}
}

// LetGoOfOriginals removes the references to stored original files from a report.
func (r *ImportReport) LetGoOfOriginals() {
	for i := range r.Sources {
		r.Sources[i].Original = ""
	}
}

// ImportOptions are the options of an import: what it reads, and how it resolves conflicts.
type ImportOptions struct {
	Provider          string `json:"provider,omitempty"` // importer ID to force; "" = detect
	OnlyMemories      bool   `json:"only_memories,omitempty"`
	OnlyConversations bool   `json:"only_conversations,omitempty"`
	// OnConflict says which version of a memory is used if the vault and the document both
	// changed it after they last agreed; "" means KeepOurs.
	OnConflict OnConflict `json:"on_conflict,omitempty"`
	// Merge is the strategy for memories and tasks whose ids the vault has already. "" is
	// skip_duplicates for documents of the Memory Interchange Format. For other documents,
	// "" means that age, signature and OnConflict decide which version stays.
	Merge Merge `json:"merge,omitempty"`
	// MergeIn restricts Merge to records from the reader with this id; "" is all readers.
	MergeIn string `json:"merge_in,omitempty"`
	// AcceptBroken imports a document although its signature or its checksums are wrong.
	AcceptBroken bool `json:"accept_broken,omitempty"`
	// AcceptUnsigned imports a document that claims to be from an owner whose key is known
	// here, although it is not signed with that key.
	AcceptUnsigned bool `json:"accept_unsigned,omitempty"`
	// AnyBase imports an incremental document although the vault does not know the export
	// that the document builds on.
	AnyBase bool `json:"any_base,omitempty"`
	// KeepOriginal stores the original files in the vault, encrypted, for Reread.
	KeepOriginal bool `json:"keep_original,omitempty"`
	// Take lists ids, in the vault or in the document, of records to be changed to the
	// document's version, whoever signed it, and even if that widens access.
	Take []string `json:"take,omitempty"`
	// Picks narrows a document to what a person picked; nil takes all of it.
	Picks  *Picks `json:"-"`
	By     string `json:"-"` // who imports, for the log: an agent or WatchedFolder; "": the person
	Strict bool   `json:"-"` // used only by the command line, which exits with 1 if there are problems
	DryRun bool   `json:"-"` // Import only counts and writes nothing
	// OnChange, if not nil, is called with every change to the vault once it is decided.
	OnChange func(ImportChange) `json:"-"`
	// OnLook is the progress callback of PlanImport, in bytes read; nil for none.
	OnLook func(done, total int64) `json:"-"`
}

// Takes reports whether Take contains id.
func (o *ImportOptions) Takes(id string) bool { return id != "" && slices.Contains(o.Take, id) }

// Merge is a strategy of the Memory Interchange Format (its §8).
type Merge string

const (
	SkipDuplicates Merge = "skip_duplicates" // the vault's record stays
	Overwrite      Merge = "overwrite"       // the document's record replaces it
	Rename         Merge = "rename"          // the document's record is added under a new id
)

// Merges lists the three merge strategies in the order of the MIF specification (§8).
func Merges() []Merge { return []Merge{SkipDuplicates, Overwrite, Rename} }

// MIFReader is the id of the reader of the Memory Interchange Format.
const MIFReader = "mif"

// MergeAs returns the merge strategy for records from the reader with this id. If it is
// "", the import compares both versions of a record and applies OnConflict to conflicts.
func (o ImportOptions) MergeAs(reader string) Merge {
	switch {
	case o.Merge != "" && (o.MergeIn == "" || o.MergeIn == reader):
		return o.Merge
	case reader == MIFReader:
		return SkipDuplicates
	}
	return ""
}

// OnConflict is the resolution for a memory that changed in the vault and in a document.
type OnConflict string

const (
	KeepOurs   OnConflict = "keep"   // the vault's version stays
	TakeTheirs OnConflict = "theirs" // the document's version replaces it
	KeepBoth   OnConflict = "both"   // the document's version is added as a new memory
)

// Picks are the memories of a document that the user chose to import, by their ids in the
// document. All others stay as they are in the vault.
type Picks struct {
	Memories map[string]OnConflict `json:"memories"`
	// Fields lists, by memory id, the only members that are taken from the document's
	// version, as JSON pointers as in FieldDiff. Other members keep the vault's version.
	Fields map[string][]string `json:"fields,omitempty"`
}

// KeptFiles counts the original files that the import stored in the vault.
func (r ImportReport) KeptFiles() int {
	n := 0
	r.EachOriginal(func(string) { n++ })
	return n
}

// ImportChange is a record of the vault that a document has in another version, with the
// differences and the decision of the import.
type ImportChange struct {
	Kind ChangedKind `json:"kind"`
	ID   string      `json:"id"` // id of the record in the vault
	// DocumentID is the record's id in the document, if it differs from ID.
	DocumentID string         `json:"document_id,omitempty"`
	Taken      bool           `json:"taken"`         // the document's version replaces it
	Why        ConflictReason `json:"why,omitempty"` // why the vault's version stays; "" if Taken
	Fields     []ChangedField `json:"fields"`
}

// ChangedKind is the kind of record that an ImportChange is about.
type ChangedKind string

// The kinds of records that an import can change.
const (
	ChangedMemory       ChangedKind = "memory"
	ChangedConversation ChangedKind = "conversation"
	ChangedTask         ChangedKind = "task"
	ChangedRelation     ChangedKind = "relation"
	ChangedEmbedding    ChangedKind = "embedding"
)

// ConflictReason says why the vault's version of a record stays.
type ConflictReason = pam.ConflictReason

// The reasons: those that package pam uses when it merges two documents, and two more for
// a vault.
const (
	ConflictNotSigned                  = pam.ConflictNotSigned
	ConflictOtherSigner                = pam.ConflictOtherSigner
	ConflictNotCovered                 = pam.ConflictNotCovered
	ConflictAccessWider                = pam.ConflictAccessWider
	ConflictEditedHere  ConflictReason = "edited-here"
	ConflictAlreadyHere ConflictReason = "already-here" // because of the strategy SkipDuplicates
)

// ChangedField is a member in which two versions of a record differ: its JSON pointer,
// and its JSON before and after, each cut to maxChangedText bytes, "" if missing.
type ChangedField struct {
	Path   string `json:"path"`
	Before string `json:"before"`
	After  string `json:"after"`
}
