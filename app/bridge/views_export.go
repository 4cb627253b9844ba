package bridge

// ExportOptionsView of a signed PAM export. Empty lists mean everything that
// may leave; Passphrase, when not empty, encrypts the finished file.
type ExportOptionsView struct {
	Unsigned             bool     `json:"unsigned"`
	IncludeConversations bool     `json:"includeConversations"`
	IncludeAttachments   bool     `json:"includeAttachments"`
	IncludeEmbeddings    bool     `json:"includeEmbeddings"`
	Statuses             []string `json:"statuses"`
	Types                []string `json:"types"`
	Tags                 []string `json:"tags"` // one of them is enough
	Platforms            []string `json:"platforms"`
	Conversations        []string `json:"conversations"` // ids: only these, and what they stated; at most 500
	Incremental          bool     `json:"incremental"`   // only what is new or changed since Base
	Base                 string   `json:"base"`          // id of a full export; "" = the newest of the same selection
	For                  string   `json:"for"`
	StripIDs             bool     `json:"stripIds"`
	WithoutTitles        bool     `json:"withoutTitles"` // the list of conversations leaves without their titles and tags
	Passphrase           string   `json:"passphrase"`
	Format               string   `json:"format"`  // "" is PAM, "mif" the Memory Interchange Format, or one of core.Form
	Version              string   `json:"version"` // of MIF: "1" or "2"
	Form                 string   `json:"form"`    // of MIF: "json", "yaml" or "jsonl"
	Redact               string   `json:"redact"`  // "" for the default: "on" for somebody else, "off" for oneself and in PAM or what people read
	Keep                 []string `json:"keep"`    // ids of findings, and kinds, that leave as they are
	Addresses            bool     `json:"addresses"`
	Language             string   `json:"language"`   // of what people read: "en" or "pt-BR"
	Categories           []string `json:"categories"` // of the personal forms; none: all four
	Bare                 bool     `json:"bare"`       // of the personal forms: records without their metadata
}

// ExportPreviewView says what would leave and what stays, and why: the names
// in Excluded are "not-exportable", "status", "type", "tag", "platform",
// "conversation", "not-shared", "unchanged". BaseID and Since are "" for a full export.
type ExportPreviewView struct {
	Memories      int           `json:"memories"`
	Relations     int           `json:"relations"`
	Conversations int           `json:"conversations"`
	Titles        int           `json:"titles"` // of these, where only their list leaves
	Excluded      []CountView   `json:"excluded"`
	FileName      string        `json:"fileName"`
	Findings      int           `json:"findings"`
	Kinds         []CountView   `json:"kinds"`  // of the findings
	Hidden        int           `json:"hidden"` // of the findings
	Unread        int           `json:"unread"` // conversations that were not looked through
	Embeddings    int           `json:"embeddings"`
	HasEmbeddings bool          `json:"hasEmbeddings"` // there are some in the vault
	BaseID        string        `json:"baseId"`
	Since         string        `json:"since"`
	Todos         int           `json:"todos"` // of MIF
	Sensitive     SensitiveView `json:"sensitive"`
}

// PastExportView is an export that was made, or a hand-off: its Format is "handoff", and its Name
// the assistant. Selection is empty where everything
// that may leave was meant; otherwise it lists statuses, types, categories, tags and platforms.
type PastExportView struct {
	ID            string   `json:"id"`
	At            string   `json:"at"`
	Format        string   `json:"format"` // "pam", "mif", one of core.Form, or "handoff"
	Incremental   bool     `json:"incremental"`
	BaseID        string   `json:"baseId"`
	Name          string   `json:"name"`
	Bytes         int64    `json:"bytes"`
	Memories      int      `json:"memories"`
	Relations     int      `json:"relations"`
	Conversations int      `json:"conversations"`
	Embeddings    int      `json:"embeddings"`
	Checksum      string   `json:"checksum"`
	Signed        bool     `json:"signed"`
	Encrypted     bool     `json:"encrypted"`
	Selection     []string `json:"selection"`
	For           string   `json:"for"`
}

// ExportResultView is the certificate of a finished export. Token serves for
// Reveal and Verify; URL is set where the file is fetched by the browser.
type ExportResultView struct {
	Token       string      `json:"token"`
	URL         string      `json:"url"`
	Name        string      `json:"name"`
	Folder      string      `json:"folder"`
	Bytes       int64       `json:"bytes"`
	ExportID    string      `json:"exportId"`
	ExportDate  string      `json:"exportDate"`
	Incremental bool        `json:"incremental"`
	Since       string      `json:"since"` // of an incremental one
	Memories    int         `json:"memories"`
	Titles      int         `json:"titles"` // of conversations, that left with their list
	Excluded    []CountView `json:"excluded"`
	Checksum    string      `json:"checksum"`
	Signed      bool        `json:"signed"`
	Encrypted   bool        `json:"encrypted"`
	Hidden      int         `json:"hidden"` // findings that were hidden
	DID         string      `json:"did"`
	Fingerprint string      `json:"fingerprint"`
	Words       []string    `json:"words"`
	Covers      []string    `json:"covers"`
	NotCovered  []string    `json:"notCovered"`
	Verdict     string      `json:"verdict"`
	Format      string      `json:"format"` // as in the options
	Todos       int         `json:"todos"`  // of MIF
}

// VerifyView is what can be said about a PAM file: the signature and, below
// it, every deep check.
type VerifyView struct {
	Name        string        `json:"name"`
	Kind        string        `json:"kind"`
	Verdict     string        `json:"verdict"` // "own", "known", "unknown", "unsigned", "invalid", "invalid-unsigned", "broken", "uncheckable", or "none"
	Signed      bool          `json:"signed"`
	Valid       bool          `json:"valid"`
	Algorithm   string        `json:"algorithm"`
	PublicKey   string        `json:"publicKey"`
	Fingerprint string        `json:"fingerprint"`
	Words       []string      `json:"words"`
	KeyID       string        `json:"keyId"`
	SignedAt    string        `json:"signedAt"`
	Covers      []string      `json:"covers"`
	NotCovered  []string      `json:"notCovered"`
	Whole       bool          `json:"whole"`      // a bundle whose every file is covered
	Encrypted   bool          `json:"encrypted"`  // it takes a passphrase to look into it
	Holder      string        `json:"holder"`     // name of whose key it is; with Claims, of who it says it is from
	KnownSince  string        `json:"knownSince"` // that key
	RetiredAt   string        `json:"retiredAt"`  // the key that signed
	RevokedAt   string        `json:"revokedAt"`  // the key that signed
	Claims      string        `json:"claims"`     // "own" or "known": says it is from them, signed by another key
	Problems    []FindingView `json:"problems"`
	Changed     []ChangedView `json:"changed"`
	Document    DocumentView  `json:"document"`
}

// ChangedView is a memory of a file whose words are not those that their hash was made
// of; at most 20.
type ChangedView struct {
	Path   string `json:"path"` // of the memory, as in findings
	Now    string `json:"now"`
	Before string `json:"before"` // "" where the vault has no such words
}

// DocumentView is the result of the schema and the deep checks.
type DocumentView struct {
	Valid     bool          `json:"valid"`
	Errors    []FindingView `json:"errors"` // the first 200
	Warnings  []FindingView `json:"warnings"`
	ChecksRun int           `json:"checksRun"`
}

// CompareView is how a file stands to the vault, or to a second file: then the
// first is "ours". Items is a window of at most 50 on those that differ.
type CompareView struct {
	Same      int            `json:"same"`
	Ours      int            `json:"ours"`
	Theirs    int            `json:"theirs"`
	Differing int            `json:"differing"`
	Conflicts int            `json:"conflicts"`
	Forgotten int            `json:"forgotten"`
	Total     int            `json:"total"`
	Items     []ComparedView `json:"items"`
	Beside    bool           `json:"beside"`           // of two files: only a bundle holds all of both
	Unknown   []CountView    `json:"unknown"`          // members that PAM 1.0 does not have, by their names
	Names     []string       `json:"names"`            // of the file, or of both
	Common    string         `json:"common,omitempty"` // name of the file that both come from
	Newer     []string       `json:"newer"`            // those of them that are of a newer minor version of PAM
	// Refused is, of two files, why what the second has otherwise stays as the first has
	// it: "not-signed" or "other-signer"; "" where the second counts.
	Refused string `json:"refused,omitempty"`
	// Document is set where a file is held against the vault.
	Document *PlanDocumentView `json:"document,omitempty"`
}

// ComparedView is one memory that is not the same on both sides. ID is the one
// it has in the file.
type ComparedView struct {
	ID       string            `json:"id"`
	Standing string            `json:"standing"` // "ours", "theirs", "differs", "older", "hidden", "conflict", "not-signed"
	Type     string            `json:"type"`
	Ours     string            `json:"ours"`   // what it says, "" where it is only theirs
	Theirs   string            `json:"theirs"` // what it says, "" where it is only ours
	Fields   []FieldChangeView `json:"fields"`

	// Of two files with the one that both come from: what becomes of it where nobody
	// says otherwise, "keep", "theirs" or "fields" (those whose side is "theirs" as the
	// second has them), and that the one has it and one of the two no more.
	Suggested string `json:"suggested,omitempty"`
	Gone      bool   `json:"gone,omitempty"`
}

// FieldChangeView is one member that differs, as JSON text; "" is not there.
type FieldChangeView struct {
	Path     string `json:"path"`
	Ours     string `json:"ours"`
	Theirs   string `json:"theirs"`
	Pickable bool   `json:"pickable,omitempty"` // where files are compared: either can be chosen
	Base     string `json:"base,omitempty"`     // in the file that both come from
	By       string `json:"by,omitempty"`       // whose change it is: "ours", "theirs", "conflict" (both)
}

// MergedView is what became of two files that were merged.
type MergedView struct {
	Token         string           `json:"token"`
	URL           string           `json:"url"`
	Name          string           `json:"name"`
	Folder        string           `json:"folder"`
	Bytes         int64            `json:"bytes"`
	Encrypted     bool             `json:"encrypted"`
	Memories      int              `json:"memories"`
	Relations     int              `json:"relations"`
	Conversations int              `json:"conversations"` // whole ones
	Attachments   int              `json:"attachments"`
	Embeddings    int              `json:"embeddings"`
	LeftOut       []CountView      `json:"leftOut"`
	Taken         MergeChangesView `json:"taken"` // what differs and is as the second file has it
	Kept          MergeChangesView `json:"kept"`  // likewise the first: the second may not change it
}

// MergeChangesView counts what both files have in another version, and lists the first
// 100 of it.
type MergeChangesView struct {
	Count int               `json:"count"`
	Items []MergeChangeView `json:"items"`
}

// MergeChangeView is one of them. Fields are the first 20 that differ; none for files.
type MergeChangeView struct {
	Kind   string            `json:"kind"` // "memory", "relation", "entry", "conversation", "attachment", "embedding"
	ID     string            `json:"id"`
	Title  string            `json:"title"` // of a conversation, "" where it has none
	Why    string            `json:"why"`   // it was kept: "not-signed", "other-signer", "not-covered", "access-wider"
	Fields []FieldChangeView `json:"fields"`
}

// FindingView is one failed check. Expected and Found are empty where there is
// nothing to say that the message does not.
type FindingView struct {
	Check    string `json:"check"`
	Path     string `json:"path"`
	Message  string `json:"message"`
	Expected string `json:"expected"`
	Found    string `json:"found"`

	Fault *FaultView `json:"fault,omitempty"` // set where nothing could be looked at: the message in every language
}
