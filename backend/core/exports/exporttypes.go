package exports

import (
	"keepsake/backend/format/personal"
	"keepsake/backend/memory"
)

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
	WithoutTitles        bool        // the list of conversations leaves without their titles and tags

	noIndex bool // what is made holds no list of the conversations
}

// ExportPreview says what would leave and what stays, and why.
type ExportPreview struct {
	Memories      int `json:"memories"`
	Relations     int `json:"relations"`
	Conversations int `json:"conversations"`
	Titles        int `json:"titles"` // index entries with a title, if whole conversations stay; WithoutTitles omits them
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
	Titles       int            `json:"titles"` // of conversations, that left with their list
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
