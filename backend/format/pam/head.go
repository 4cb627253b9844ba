package pam

import (
	"strings"

	"keepsake/backend/fault"
)

// Head is what a memory store says of itself (§3), as far as it says it in
// text; what it leaves out is "".
type Head struct {
	SchemaVersion string
	ExportID      string
	ExportDate    string
	ExportType    string
	BaseExportID  string
	Since         string
	OwnerID       string
}

// IsIncremental reports a delta (§16.1).
func (h Head) IsIncremental() bool { return h.ExportType == "incremental" }

// Refused is why a document of this version cannot be read (§22.3), nil where it
// can.
func (h Head) Refused(name string) *fault.Error {
	if major, _ := versionOf(h.SchemaVersion); major == "1" {
		return nil
	}
	return fault.New(fault.Unsupported, "pam-version", "{name} is Portable AI Memory of version {version}; this Keepsake reads version 1.").
		With("name", name).With("version", clip(h.SchemaVersion)).Advise("A newer Keepsake may read it.")
}

// IsNewer reports a minor version that may have members this one does not know.
func (h Head) IsNewer() bool {
	_, minor := versionOf(h.SchemaVersion)
	return minor != "0"
}

func versionOf(text string) (major, minor string) {
	text, _, _ = strings.Cut(text, "-")
	major, minor, _ = strings.Cut(text, ".")
	if major == "" { // absent or no text: the schema's finding
		return "1", "0"
	}
	return major, minor
}
