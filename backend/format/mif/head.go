package mif

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

// Form is how a document is written down.
type Form string

const (
	JSON  Form = "json"
	YAML  Form = "yaml"
	JSONL Form = "jsonl" // the document without memories, then one memory a line
)

// Forms lists the three in the specification's order.
func Forms() []Form { return []Form{JSON, YAML, JSONL} }

// Head is what a document says of itself. What it leaves out is "".
type Head struct {
	Version          string // mif_version
	Generator        string
	GeneratorVersion string
	ExportID         string
	CreatedAt        string
	UserID           string
	Checksum         string
	Form             Form
	Encrypted        bool // it says so, in whatever shape, and no memory can be read
}

// Major is the major version, "" where there is none.
func (h Head) Major() string {
	major, _, ok := strings.Cut(h.Version, ".")
	if !ok {
		return ""
	}
	return major
}

// Refused is why a document cannot be read: it is encrypted and not opened, or of
// another version (§9); nil where it can.
func (h Head) Refused(name string) *fault.Error {
	if h.Encrypted {
		return errEnvelope(name)
	}
	if m := h.Major(); m == "1" || m == "2" {
		return nil
	}
	return fault.New(fault.Unsupported, "mif-version", "{name} is in the Memory Interchange Format of version {version}; this Keepsake reads versions 1 and 2.").
		With("name", name).With("version", clip(h.Version)).Advise("A newer Keepsake may read it.")
}

// IsNewer reports a minor version that may have members this one does not know.
func (h Head) IsNewer() bool { return h.Version != "1.0" && h.Version != "2.0" }

// Exported is when the document was written, zero where it does not say.
func (h Head) Exported() memory.Time {
	at, _ := memory.ParseTime(h.CreatedAt)
	return at
}

func (h *Head) take(name string, o object) {
	switch name {
	case "generator":
		h.Generator, h.GeneratorVersion = o.string("name"), o.string("version")
	case "export", "export_meta":
		h.ExportID, h.CreatedAt, h.UserID, h.Checksum = o.string("id"), o.string("created_at"), o.string("user_id"), o.string("checksum")
	}
}

// whole reports that the head is known: what follows need not be read for it. One
// that says it is encrypted is read on, for memories that can be read all the same.
func (h Head) whole() bool { return !h.Encrypted && h.Version != "" && h.UserID+h.ExportID != "" }

// HeadSize is how much of a file Looks and IsEnvelope want to see, in bytes.
const HeadSize = 16 << 10

// exported is the block that every document has, which stands before memories
// even where a program has sorted all names.
var exported = regexp.MustCompile(`"export(_meta)?"\s*:\s*\{[^{}]*"user_id"`)

// Looks reports whether a file that begins so is a document of this format: it
// says its version at the beginning, in YAML on a line of its own, or who
// exported it.
func Looks(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF")), " \t\r\n")
	if bytes.HasPrefix(head, []byte("{")) {
		return bytes.Contains(head, []byte(`"mif_version"`)) || exported.Match(head)
	}
	return bytes.HasPrefix(head, []byte("mif_version:")) || bytes.Contains(head, []byte("\nmif_version:"))
}

// IsEnvelope reports whether a file that begins so is an encrypted document, of the
// shape that is read here or of another: an object that says so by itself, and has
// no list that can be read.
func IsEnvelope(head []byte) bool {
	dec := jsontext.NewDecoder(bytes.NewReader(bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF"))))
	if token, err := dec.ReadToken(); err != nil || token.Kind() != '{' {
		return false
	}
	says := false
	for {
		name, err := dec.ReadToken()
		if err != nil || name.Kind() != '"' {
			return says
		}
		member, kind := name.String(), dec.PeekKind()
		raw, err := dec.ReadValue()
		switch {
		case kind == '[':
			return false
		case err != nil: // longer than the head
			return says || member == "encryption" || member == "encrypted_payload"
		}
		says = says || saysEncrypted(member, raw)
	}
}

// saysEncrypted reports a member by which a document says that it is encrypted.
func saysEncrypted(member string, raw jsontext.Value) bool {
	switch member {
	case "encryption", "encrypted_payload":
		return raw.Kind() == '{' || raw.Kind() == '"'
	case "encrypted":
		return raw.Kind() == 't'
	}
	return false
}
