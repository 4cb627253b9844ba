package bridge

// FaultView is an error as the page gets it. Message and Hint are English with
// their places filled; the page translates by Reason and fills Args itself.
type FaultView struct {
	Code    string            `json:"code"`
	Reason  string            `json:"reason"`
	Message string            `json:"message"`
	Hint    string            `json:"hint"`
	Args    map[string]string `json:"args"`
}

// CountView is one line of a tally.
type CountView struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// PairView is a name and a value as text.
type PairView struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// VaultView says how the vault stands. What lies below Unlocked is zero while
// it is locked.
type VaultView struct {
	Exists        bool       `json:"exists"`
	Unlocked      bool       `json:"unlocked"`
	Sample        bool       `json:"sample"` // the throw-away vault of TrySample
	Name          string     `json:"name"`
	Folder        string     `json:"folder"` // to be shown, never to be sent back
	VaultID       string     `json:"vaultId"`
	Format        int        `json:"format"`
	Size          int64      `json:"size"`
	KDF           string     `json:"kdf"`
	WeakKDF       bool       `json:"weakKdf"`
	Frozen        bool       `json:"frozen"`
	LastBackup    string     `json:"lastBackup"` // when one was made and found good
	Warning       string     `json:"warning"`    // "", "older-than-before", "cloud-folder", "network-folder"
	Slots         []SlotView `json:"slots"`
	OwnerID       string     `json:"ownerId"`
	DID           string     `json:"did"`
	LastChanged   string     `json:"lastChanged"`
	Memories      int        `json:"memories"`
	Conversations int        `json:"conversations"`
	Messages      int        `json:"messages"`
	Relations     int        `json:"relations"`
	LogsReading   bool       `json:"logsReading"` // the person's own
	LockedBy      string     `json:"lockedBy"`    // "" by hand, "idle", "sleep", "session", "damaged"
}

// SlotView is one way to open the vault: "passphrase", "recovery" or
// "keychain".
type SlotView struct {
	Kind      string `json:"kind"`
	CreatedAt string `json:"createdAt"`
}

// NewVaultView is what creating a vault gives back, once. RecoveryGroups are
// the groups of RecoveryKey, for typing two of them back.
type NewVaultView struct {
	Vault          VaultView `json:"vault"`
	RecoveryKey    string    `json:"recoveryKey"`
	RecoveryGroups []string  `json:"recoveryGroups"`
}

// Offer is something handed over that can be planned, imported or verified.
type Offer struct {
	Token  string `json:"token"`
	Name   string `json:"name"`
	Size   int64  `json:"size"` // bytes; 0 for a folder
	Folder bool   `json:"folder"`
}

// OffersView is the payload of the event "offers" and the answer of Opened.
type OffersView struct {
	Offers []Offer `json:"offers"`
}

// PlanView says what was recognised, before anything is written.
type PlanView struct {
	ID      string           `json:"id"`
	Sources []PlanSourceView `json:"sources"`
}

// PlanSourceView is one recognised group of inputs, or one with Problem set.
type PlanSourceView struct {
	Names           []string   `json:"names"`
	Provider        string     `json:"provider"`
	ProviderName    string     `json:"providerName"`
	Format          string     `json:"format"`
	ImporterVersion string     `json:"importerVersion"`
	Certain         bool       `json:"certain"`
	Accounts        []string   `json:"accounts"`     // by name where the export says it, and id
	TakesAccount    bool       `json:"takesAccount"` // the export names none: the person may, with NameAccount
	Account         string     `json:"account"`      // as the person named it
	Missing         []string   `json:"missing"`
	Bytes           int64      `json:"bytes"`
	Files           int        `json:"files"`
	New             int        `json:"new"`
	Updated         int        `json:"updated"`
	Unchanged       int        `json:"unchanged"`
	Memories        int        `json:"memories"`
	MemoriesNew     int        `json:"memoriesNew"` // of these, not here yet
	Problem         *FaultView `json:"problem,omitempty"`

	Preview  []PlannedMemoryView `json:"preview"`  // the first of its memories
	Problems []ReportProblemView `json:"problems"` // the first items that cannot be read
	// Document is set for a Portable AI Memory document.
	Document *PlanDocumentView `json:"document,omitempty"`
	// Merging is set for a document of the Memory Interchange Format.
	Merging *PlanMergingView `json:"merging,omitempty"`
	// Changes are the first changes of what is here, ChangesTotal counts all.
	Changes      []PlanChangeView `json:"changes"`
	ChangesTotal int              `json:"changesTotal"`
}

// PlanChangeView is something that is here, and that a document has in another
// version.
type PlanChangeView struct {
	Kind   string            `json:"kind"` // "memory", "conversation", "task", "relation", "embedding"
	ID     string            `json:"id"`   // here
	Taken  bool              `json:"taken"`
	Why    string            `json:"why"` // it stays: "not-signed", "other-signer", "not-covered", "edited-here", "access-wider", "already-here"
	Fields []FieldChangeView `json:"fields"`
}

// PlanMergingView is how the memories and tasks of a document stand to those that
// are here; what becomes of them is up to AgreementView.Merge.
type PlanMergingView struct {
	New     int `json:"new"`
	Same    int `json:"same"`
	Changed int `json:"changed"` // here by their ids, and otherwise
	Said    int `json:"said"`    // their words are here under another id
	Tasks   int `json:"tasks"`   // tasks that are here by their ids, and otherwise
}

// PlannedMemoryView is a statement that an import would take.
type PlannedMemoryView struct {
	Type      string `json:"type"`
	Content   string `json:"content"`
	Section   string `json:"section"`
	CreatedAt string `json:"createdAt"` // "" for unknown
	Known     bool   `json:"known"`
}

// PlanDocumentView is the verdict on a document before it is taken in. AsksBroken
// and AsksBase say what must be agreed to first.
type PlanDocumentView struct {
	Verdict     string        `json:"verdict"` // as VerifyView.Verdict
	Words       []string      `json:"words"`
	Fingerprint string        `json:"fingerprint"`
	SignedAt    string        `json:"signedAt"`
	Problems    []FindingView `json:"problems"` // the first 200
	Changed     []ChangedView `json:"changed"`
	Incremental bool          `json:"incremental"`
	Holder      string        `json:"holder"` // whose key signed it, as the person named them
	KnownSince  string        `json:"knownSince"`
	KnownBase   bool          `json:"knownBase"`
	AsksBroken  bool          `json:"asksBroken"`
	AsksBase    bool          `json:"asksBase"`
	// AsksUnsigned says that it names somebody whose key is known, and is not signed.
	AsksUnsigned bool   `json:"asksUnsigned"`
	Claims       string `json:"claims"` // as VerifyView.Claims
}

// AgreementView is what a person agreed to after seeing a plan.
type AgreementView struct {
	AcceptBroken   bool       `json:"acceptBroken"`
	AcceptUnsigned bool       `json:"acceptUnsigned"`
	AnyBase        bool       `json:"anyBase"`
	KeepOriginal   bool       `json:"keepOriginal"`
	OnConflict     string     `json:"onConflict"` // "keep", "theirs", "both"; "" is keep
	Merge          string     `json:"merge"`      // of documents of MIF: "skip_duplicates", "overwrite", "rename"; "" is the first
	Picking        bool       `json:"picking"`    // nothing is taken but what Picks names
	Picks          []PickView `json:"picks"`
	Take           []string   `json:"take"` // ids here of what is taken as the document has it
}

// PickView is what a person chose for one memory of a document.
type PickView struct {
	ID     string   `json:"id"`     // in the document
	Take   string   `json:"take"`   // "keep", "theirs", "both"
	Fields []string `json:"fields"` // of "theirs": the only members that are taken, by pointer; empty is all
}

// JobView names a job that was started.
type JobView struct {
	ID string `json:"id"`
}

// ProgressView is how far a job is; also the payload of the event "progress".
// ImportID is set when the import is finished, Problem when it failed.
type ProgressView struct {
	Job           string     `json:"job"`
	Phase         string     `json:"phase"` // "recognising", "reading", "storing", "finished"
	Done          int64      `json:"done"`
	Total         int64      `json:"total"`
	Conversations int        `json:"conversations"`
	Messages      int        `json:"messages"`
	Memories      int        `json:"memories"`
	ImportID      string     `json:"importId"`
	Problem       *FaultView `json:"problem,omitempty"`
}

// LookView is the payload of the event "look": how many bytes of what is planned were
// looked at.
type LookView struct {
	Done  int64 `json:"done"`
	Total int64 `json:"total"`
}

// ImportDoneView is the payload of the event "import-done".
type ImportDoneView struct {
	Job      string     `json:"job"`
	ImportID string     `json:"importId"`
	Problem  *FaultView `json:"problem,omitempty"`
}

// ReportView is the kept record of one import.
type ReportView struct {
	ImportID           string              `json:"importId"`
	StartedAt          string              `json:"startedAt"`
	State              string              `json:"state"` // "done", "partial", "undone"
	Sources            []ReportSourceView  `json:"sources"`
	New                int                 `json:"new"` // conversations
	Updated            int                 `json:"updated"`
	Unchanged          int                 `json:"unchanged"`
	Skipped            int                 `json:"skipped"`
	United             int                 `json:"united,omitempty"` // put together of versions that each lack messages of another
	MessagesNew        int                 `json:"messagesNew"`
	MessagesTotal      int                 `json:"messagesTotal"`
	MemoriesNew        int                 `json:"memoriesNew"`
	MemoriesMerged     int                 `json:"memoriesMerged"`
	MemoriesUnchanged  int                 `json:"memoriesUnchanged"`
	MemoriesRetracted  int                 `json:"memoriesRetracted"`
	MemoriesUpdated    int                 `json:"memoriesUpdated,omitempty"` // the provider holds them in other words now
	MemoriesKept       int                 `json:"memoriesKept,omitempty"`    // left as they were mended here
	RelationsNew       int                 `json:"relationsNew,omitempty"`
	MemoriesRepeated   int                 `json:"memoriesRepeated,omitempty"` // those of MemoriesMerged that repeat what this very import brought
	AttachmentsStored  int                 `json:"attachmentsStored"`
	AttachmentsMissing int                 `json:"attachmentsMissing"`
	Problems           []ReportProblemView `json:"problems"`      // the first 200
	ProblemsTotal      int                 `json:"problemsTotal"` // all of them
	Unknown            []CountView         `json:"unknown"`
	Ledger             []LedgerView        `json:"ledger"`
	AnswersWithoutText []CountView         `json:"answersWithoutText,omitempty"` // by what they hold instead
	OtherFiles         []OtherFileView     `json:"otherFiles,omitempty"`         // the first that nothing was read of
	ElapsedMS          int64               `json:"elapsedMs"`
	Identical          string              `json:"identical,omitempty"`   // the earlier import of the very same files: nothing was read again
	UndoneAt           string              `json:"undoneAt,omitempty"`    // when it was taken back
	NewerReader        bool                `json:"newerReader,omitempty"` // its files were kept, and a newer reader could read them again
	Open               bool                `json:"open,omitempty"`        // it broke off, and no later import completed it
	Told               bool                `json:"told,omitempty"`        // the person knows that
	MemoriesFound      int                 `json:"memoriesFound"`         // each once: new and known
	MemoriesKnown      int                 `json:"memoriesKnown"`         // here before
}

// FinishView is what an import that broke off was made of. Missing are files that are
// not where they were; they are to be chosen again.
type FinishView struct {
	Offers  []Offer  `json:"offers"`
	Missing []string `json:"missing"`
}

// OtherFileView is a file that nothing was read of. LooksLike names what it could be read
// as by itself, or the program that it is of.
type OtherFileView struct {
	Path      string `json:"path"`
	Size      int64  `json:"size"`
	LooksLike string `json:"looksLike,omitempty"`
}

// ReportSourceView is one input of an import. CanReveal says whether the file
// is still known to this computer and can be shown in its folder.
type ReportSourceView struct {
	Name            string `json:"name"`
	Folder          string `json:"folder"`
	Provider        string `json:"provider"`
	Format          string `json:"format"`
	ImporterVersion string `json:"importerVersion"`
	SHA256          string `json:"sha256"`
	Verdict         string `json:"verdict,omitempty"` // of a Portable AI Memory document
	CanReveal       bool   `json:"canReveal"`
}

// ReportProblemView is one item that could not be read.
type ReportProblemView struct {
	Path  string    `json:"path"`
	At    string    `json:"at"`
	Fault FaultView `json:"fault"`
}

// LedgerView accounts for every item of one source.
type LedgerView struct {
	Source    string      `json:"source"`
	Seen      int         `json:"seen"`
	Taken     int         `json:"taken"`
	Merged    int         `json:"merged"`
	Unchanged int         `json:"unchanged"`
	Skipped   []CountView `json:"skipped"`
	Unknown   []CountView `json:"unknown"`
}

// ThemeView is the payload of the event "theme".
type ThemeView struct {
	SystemTheme string `json:"systemTheme"` // as in PreferencesView
}

// PreferencesView is what a person chose for this computer.
type PreferencesView struct {
	Language string `json:"language"` // "", "en", "pt-BR"; "" follows the system
	Theme    string `json:"theme"`    // "system", "light", "dark"
	// SystemTheme is what "system" means here, "" where the page finds out by
	// itself. Save ignores it.
	SystemTheme string `json:"systemTheme"`
	AutoLock    int    `json:"autoLock"` // minutes: 0 (never), 1, 5, 10, 30 or 60
	// AlwaysProtect has every export begin with *Protect it* on.
	AlwaysProtect bool `json:"alwaysProtect"`
}

// DraftView is a memory being written and not kept yet. Type, CustomType and
// Tags are of a new one.
type DraftView struct {
	MemoryID   string   `json:"memoryId"` // "" for a new memory
	Content    string   `json:"content"`
	Type       string   `json:"type"`
	CustomType string   `json:"customType"`
	Tags       []string `json:"tags"`
}

// AboutView says what this program is and what it is made of. Network lists
// every use of the network; there is none.
type AboutView struct {
	Version  string        `json:"version"`
	Commit   string        `json:"commit"`  // that it was built from; "" if the build did not record one
	Date     string        `json:"date"`    // of that commit
	Changed  bool          `json:"changed"` // some files differed from the commit
	Licences []LicenceView `json:"licences"`
	Network  []string      `json:"network"`
}

// LicenceView is one part that others made.
type LicenceView struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Licence string `json:"licence"` // SPDX identifier
	Part    string `json:"part"`    // "program" or "page"
}
