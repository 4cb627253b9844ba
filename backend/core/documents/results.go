package documents

import (
	"keepsake/backend/format/pam"
)

// Results of looking at files, as package pam defines them.
type (
	Verdict      = pam.Verdict
	VerifyReport = pam.Report
	// ChangedWords is a memory that a file was found to have changed.
	ChangedWords = pam.Changed
	Finding      = pam.Finding
	Validation   = pam.Validation
	Inspection   = pam.Inspection
)

// The verdicts.
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
