package imports

import (
	"keepsake/backend/core/documents"
	"keepsake/backend/core/library"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

// ImportPlan says, before anything is written, what the inputs are and what an import of
// them would do.
type ImportPlan struct {
	ID      string       `json:"id"`
	Sources []PlanSource `json:"sources"`
}

// PlanSource describes one group of inputs that are read together. Fault says why a group
// was not recognised or cannot be read.
type PlanSource struct {
	Names           []string `json:"names"` // base names of the inputs
	Provider        string   `json:"provider"`
	ProviderName    string   `json:"provider_name"`
	Format          string   `json:"format"`
	ImporterVersion string   `json:"importer_version"`
	Certain         bool     `json:"certain"`
	Accounts        []string `json:"accounts"` // ids, as the export names them
	// AccountNames maps each id in Accounts to the account's name in the export: a personal
	// name, a mail address or both.
	AccountNames map[string]string `json:"account_names,omitempty"`
	// TakesAccount says that the export names no account, and that the person may name
	// one. Account is the account that the person named.
	TakesAccount bool     `json:"takes_account"`
	Account      string   `json:"account,omitempty"`
	Missing      []string `json:"missing"`
	Bytes        int64    `json:"bytes"`
	Files        int      `json:"files"`
	New          int      `json:"new"`          // conversations not in the vault
	Updated      int      `json:"updated"`      // in the vault, changed in this export
	Unchanged    int      `json:"unchanged"`    // in the vault, the same as in this export
	Memories     int      `json:"memories"`     // explicit memories in the source, each once
	MemoriesNew  int      `json:"memories_new"` // those of Memories that are not in the vault
	// Preview holds the first memories of the source as they would be stored, in order.
	Preview []PlannedMemory `json:"preview,omitempty"`
	// Problems lists the PAM and MIF documents in a provider's export, which are not read,
	// then the first problems (maxPlanProblems) with single items or whole files.
	Problems []library.ReportProblem `json:"problems,omitempty"`
	Fault    *fault.Error            `json:"-"`
	// Document is the result of verifying a Portable AI Memory document before its import,
	// nil for any other source.
	Document *documents.PlanDocument `json:"document,omitempty"`
	// Merging is set for a document of the Memory Interchange Format.
	Merging *PlanMerging `json:"merging,omitempty"`
	// Changes are the first differences between the vault and the source, whether they
	// would be applied or not; ChangeCount counts all.
	Changes     []library.ImportChange `json:"changes,omitempty"`
	ChangeCount int                    `json:"change_count,omitempty"`
}

// PlanMerging compares the memories and tasks of a document with the vault, independent
// of the merge strategy that the person chooses.
type PlanMerging struct {
	New     int `json:"new"`     // memories that are not in the vault
	Same    int `json:"same"`    // memories that the vault has with the same content
	Changed int `json:"changed"` // same id as in the vault, different content
	Said    int `json:"said"`    // same words as a memory in the vault or earlier in the document
	Tasks   int `json:"tasks"`   // tasks with the same id as a task in the vault, different content
}

// PlannedMemory is a statement in the preview of a plan. Known says that the vault
// already has it.
type PlannedMemory struct {
	Type      memory.Type `json:"type"`
	Content   string      `json:"content"` // a long text is cut
	Section   string      `json:"section,omitempty"`
	CreatedAt memory.Time `json:"created_at,omitzero"`
	Known     bool        `json:"known,omitempty"`
}

// Phase of a running import.
type Phase string

// The phases, in order.
const (
	PhaseRecognising Phase = "recognising" // hashes the files, to recognise those of an earlier import
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
