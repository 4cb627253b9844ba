package core

import (
	"keepsake/backend/core/library"
	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
)

// Results of looking at files, as the format's own room defines them.
type (
	Verdict      = pam.Verdict
	VerifyReport = pam.Report
	// ChangedWords is a memory that a file was found to have changed.
	ChangedWords = pam.Changed
	Finding      = pam.Finding
	Validation   = pam.Validation
	Inspection   = pam.Inspection
)

// The six verdicts.
const (
	VerdictOwn         = pam.Own
	VerdictKnown       = pam.Known
	VerdictUnknown     = pam.Unknown
	VerdictUnsigned    = pam.Unsigned
	VerdictInvalid     = pam.Invalid
	VerdictBroken      = pam.Broken
	VerdictUncheckable = pam.Uncheckable
)

// KeyInfo is the public side of a signing key.
type KeyInfo struct {
	DID         string   `json:"did"`
	Kind        string   `json:"kind"` // "Ed25519", "P-256", "P-384" or "RSA"
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
	Steps    []DemoStep           `json:"steps"`
	Import   library.ImportReport `json:"import"`
	Export   ExportResult         `json:"export"`
	Verified bool                 `json:"verified"`
}

// ImportDone is how a job that StartImport began has ended: with a kept report
// (ImportID), with a Fault, or, stopped at a whole batch, with both.
type ImportDone struct {
	Job      string
	ImportID string
	Fault    *fault.Error
}
