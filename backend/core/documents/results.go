package documents

import (
	"keepsake/backend/format/pam"
)

// Results of verifying, validating and inspecting files, as package pam defines them.
type (
	Verdict      = pam.Verdict
	VerifyReport = pam.Report
	// ChangedWords is a memory whose text in a file does not match its content hash.
	ChangedWords = pam.Changed
	Finding      = pam.Finding
	Validation   = pam.Validation
	Inspection   = pam.Inspection
)

// Verdicts on the signature of a document; see package pam.
const (
	VerdictOwn         = pam.Own
	VerdictKnown       = pam.Known
	VerdictUnknown     = pam.Unknown
	VerdictUnsigned    = pam.Unsigned
	VerdictInvalid     = pam.Invalid
	VerdictBroken      = pam.Broken
	VerdictUncheckable = pam.Uncheckable
)

// IndexEntry is an entry of PAM's conversations_index (§14).
type IndexEntry = pam.IndexEntry
