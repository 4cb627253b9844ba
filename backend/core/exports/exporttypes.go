package exports

import (
	"keepsake/backend/core/sensitivity"
	"keepsake/backend/format/personal"
	"keepsake/backend/memory"
)

// ExportOptions are the options of a PAM export. Other formats embed them.
type ExportOptions struct {
	Unsigned             bool
	IncludeConversations bool
	IncludeAttachments   bool
	IncludeEmbeddings    bool // those that documents gave
	OwnEmbeddings        bool // of memories without one, those that this program makes; implies IncludeEmbeddings
	Statuses             []memory.Status
	Types                []memory.Type
	Tags                 []string // a memory needs one of them; empty: all
	Platforms            []string
	Conversations        []string            // ids: only these, and only memories from them; nil: all; at most maxNamed
	Categories           []personal.Category // of the Personal Memory Specification: only memories in them; nil: all
	For                  string              // entity that receives the export: only memories that it may read, no conversations
	StripIDs             bool
	Since                memory.Time // only memories created at this time or later; zero: all
	Incremental          bool        // only memories that are new or changed since Base
	Base                 string      // ExportID of a full export; "": the newest one with the same selection
	Passphrase           []byte      // not nil: the finished file is age-encrypted
	RedactionOptions                 // redaction is on by default if For is set
	WithoutTitles        bool        // the index of conversations omits their titles and tags

	noIndex bool // the export format has no list of conversations
}

// ExportPreview counts what an export would contain, and the memories it would exclude.
type ExportPreview struct {
	Memories      int `json:"memories"`
	Relations     int `json:"relations"`
	Conversations int `json:"conversations"`
	Titles        int `json:"titles"` // conversations exported only as an index entry with a title; WithoutTitles does not lower it
	Embeddings    int `json:"embeddings"`
	// KeptEmbeddings counts all embeddings in the vault, exported or not.
	KeptEmbeddings int            `json:"kept_embeddings"`
	Excluded       map[string]int `json:"excluded"` // reason → n: "not-exportable", "status", "type", "tag", "platform", "conversation", "not-shared", "unchanged"
	FileName       string         `json:"file_name"`
	Findings       int            `json:"findings"`         // sensitive places in the exported texts
	FindingsByKind map[string]int `json:"findings_by_kind"` // kind of redaction → n
	Hidden         int            `json:"hidden"`           // number of findings that redaction would hide
	Unread         int            `json:"unread"`           // exported conversations that were not searched for findings
	// Sensitive counts the exported memories that are about sensitive topics.
	Sensitive    sensitivity.Listing `json:"sensitive"`
	ExportType   string              `json:"export_type"`              // "full" or "incremental"
	BaseExportID string              `json:"base_export_id,omitempty"` // full export that an incremental one builds on
	Since        memory.Time         `json:"since,omitzero"`           // date of that full export
}

// ExportResult describes a finished export: its contents, checksum and signature.
type ExportResult struct {
	Path         string         `json:"path"`
	Bytes        int64          `json:"bytes"`
	ExportID     string         `json:"export_id"`
	ExportDate   memory.Time    `json:"export_date"`
	ExportType   string         `json:"export_type"` // "full" or "incremental"
	BaseExportID string         `json:"base_export_id,omitempty"`
	Since        memory.Time    `json:"since,omitzero"`
	Memories     int            `json:"memories"`
	Titles       int            `json:"titles"` // conversation titles in the exported index
	Excluded     map[string]int `json:"excluded"`
	Checksum     string         `json:"checksum"`
	Signed       bool           `json:"signed"`
	Encrypted    bool           `json:"encrypted"`
	Hidden       int            `json:"hidden"` // places in the texts that redaction hid
	DID          string         `json:"did,omitempty"`
	Fingerprint  string         `json:"fingerprint,omitempty"` // short hash of the signing key, in hex
	Words        []string       `json:"words,omitempty"`       // the fingerprint in six words
	Covers       []string       `json:"covers"`
	NotCovered   []string       `json:"not_covered"`
	Verdict      string         `json:"verdict"` // result of verifying the finished bytes
}
