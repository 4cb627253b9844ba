package core

import (
	"encoding/json"

	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
)

// Verdict of verifying a file.
type Verdict string

const (
	VerdictOwn         Verdict = "own"
	VerdictKnown       Verdict = "known"
	VerdictUnknown     Verdict = "unknown"
	VerdictUnsigned    Verdict = "unsigned"
	VerdictBroken      Verdict = "broken"
	VerdictUncheckable Verdict = "uncheckable"
)

// VerifyReport says who signed a file and whether it is as it was signed.
type VerifyReport struct {
	Signed      bool      `json:"signed"`
	Valid       bool      `json:"valid"`
	Algorithm   string    `json:"algorithm"`
	PublicKey   string    `json:"public_key"`
	Fingerprint string    `json:"fingerprint"`
	Words       []string  `json:"words"`
	KeyID       string    `json:"key_id"`
	SignedAt    string    `json:"signed_at"`
	Verdict     Verdict   `json:"verdict"`
	Covers      []string  `json:"covers"`
	NotCovered  []string  `json:"not_covered"`
	Problems    []Finding `json:"problems"`
}

// Finding is one thing a check found: its name, a JSON pointer or file, words.
type Finding struct {
	Check   string `json:"check"`
	Path    string `json:"path"`
	Message string `json:"message"`
}

// Validation is the result of the schemas and every deep check.
type Validation struct {
	Valid     bool      `json:"valid"`
	Kind      string    `json:"kind"`
	Errors    []Finding `json:"errors"`
	Warnings  []Finding `json:"warnings"`
	ChecksRun int       `json:"checks_run"`
}

// Inspection says what is in a PAM file or bundle.
type Inspection struct {
	Kind          string         `json:"kind"`
	SchemaVersion string         `json:"schema_version"`
	ExportID      string         `json:"export_id"`
	ExportDate    string         `json:"export_date"`
	ExportedBy    string         `json:"exported_by"`
	OwnerID       string         `json:"owner_id"`
	DID           string         `json:"did"`
	Memories      int            `json:"memories"`
	Types         map[string]int `json:"types"`
	Statuses      map[string]int `json:"statuses"`
	Relations     int            `json:"relations"`
	Conversations int            `json:"conversations"`
	Signed        bool           `json:"signed"`
}

// KeyInfo is the public side of a signing key.
type KeyInfo struct {
	DID         string   `json:"did"`
	PublicKey   string   `json:"public_key"`
	Fingerprint string   `json:"fingerprint"`
	Words       []string `json:"words"`
}

// IndexEntry is an entry of PAM's conversations_index (§14).
type IndexEntry = pam.IndexEntry

// DemoStep is one told step of the demo.
type DemoStep struct {
	Name string `json:"name"`
	Text string `json:"text"` // English sentence
}

// DemoResult is what the demo did.
type DemoResult struct {
	Steps    []DemoStep   `json:"steps"`
	Import   ImportReport `json:"import"`
	Export   ExportResult `json:"export"`
	Verified bool         `json:"verified"`
}

// ImportDone is how a job that StartImport began has ended: with a kept report
// (ImportID), with a Fault, or, stopped at a whole batch, with both.
type ImportDone struct {
	Job      string
	ImportID string
	Fault    *fault.Error
}

// Event tells doors that something happened. Payload is a Progress for
// "progress", an ImportDone for "import-done", nil for the others.
type Event struct {
	Name    string
	Payload any
}

// Names of events.
const (
	EventProgress   = "progress"
	EventImportDone = "import-done"
	EventVault      = "vault"   // created, selected, unlocked or locked
	EventLibrary    = "library" // memories, relations or conversations changed
)

// Proposal waits for the person's decision.
type Proposal = json.RawMessage
