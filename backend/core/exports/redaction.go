package exports

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
	"keepsake/backend/redact"
)

// RedactionOptions say what is hidden in what leaves. Nothing in the vault changes.
type RedactionOptions struct {
	// Redact hides what is found; nil leaves it to what is made: on for a hand-off
	// and for anything made for somebody else, off for the owner's own export.
	Redact *bool
	// Keep names what stays as it is: ids of findings, or kinds.
	Keep []string
	// Addresses looks for street addresses, too.
	Addresses bool
}

// Found is one finding, for review.
type Found struct {
	ID     string    `json:"id"`    // of this text of this kind in this thing
	In     ThingKind `json:"in"`    // what it was found in
	InID   string    `json:"in_id"` // and the id of that
	Field  string    `json:"field"` // "content", "summary", "metadata.…", "messages.3.content"
	Kind   string    `json:"kind"`
	Text   string    `json:"text"`
	Before string    `json:"before"` // up to 40 code points around it
	After  string    `json:"after"`
	Kept   bool      `json:"kept"` // it would leave as it is
}

// Findings is a window on what was found in what would leave.
type Findings struct {
	Items  []Found        `json:"items"`
	Total  int            `json:"total"`
	Hidden int            `json:"hidden"`
	ByKind map[string]int `json:"by_kind"`
	// Unread are conversations that would leave and were not looked through, but for
	// their titles: that takes long, and nothing is hidden.
	Unread int `json:"unread"`
}

// FindingQuery is the window. A limit of 0 is everything.
type FindingQuery struct{ Offset, Limit int }

// redactionsMember of a memory's metadata, an open block (PAM §10), says what was
// hidden in it, with MIF's members (§6.1) and the field.
const redactionsMember = "redactions"

// hiddenPlace is one redaction as metadata tells it.
type hiddenPlace struct {
	Field string `json:"field"`
	redact.Redaction
}

// redactor decides about findings.
type redactor struct {
	kinds []redact.Kind
	keep  map[string]bool // ids and kinds
}

func newRedactor(o RedactionOptions) (redactor, error) {
	h := redactor{kinds: redact.Default(), keep: map[string]bool{}}
	if o.Addresses {
		h.kinds = redact.All()
	}
	for _, k := range o.Keep {
		if !slices.Contains(redact.All(), redact.Kind(k)) && !looksLikeFindingID(k) {
			return h, fault.New(fault.Invalid, "unknown-finding", "{name} is neither a kind of finding nor the id of one.").With("name", rows.ShortID(k)).
				Advise("The kinds are private_key, api_key, password, iban, credit_card, national_id, email, phone and address.")
		}
		h.keep[k] = true
	}
	return h, nil
}

const findingIDSize = 16 // hex digits

func looksLikeFindingID(s string) bool {
	_, err := hex.DecodeString(s)
	return err == nil && len(s) == findingIDSize
}

// findingID is the same for the same text of a kind in one memory, so that a
// choice holds while other words of the memory change.
func findingID(memoryID string, kind redact.Kind, text string) string {
	sum := sha256.Sum256([]byte(memoryID + "\x00" + string(kind) + "\x00" + text))
	return hex.EncodeToString(sum[:])[:findingIDSize]
}

func (h redactor) keeps(id string, kind redact.Kind) bool { return h.keep[id] || h.keep[string(kind)] }

// in returns a function that redacts the texts of the item with this id, and that appends
// each redaction to all.
func (h redactor) in(id string, all *[]hiddenPlace) library.Seeing {
	return func(field, s string) string {
		out, hidden := redact.Hide(s, redact.Find(s, h.kinds), func(x redact.Finding) bool {
			return h.keeps(findingID(id, x.Kind, s[x.Start:x.End]), x.Kind)
		})
		for _, x := range hidden {
			*all = append(*all, hiddenPlace{field, x})
		}
		return out
	}
}

// memory hides in every text of a memory, gives it the hash of what it says then,
// tells in its metadata what was hidden, and counts it.
func (h redactor) memory(r *memory.Record) int {
	var all []hiddenPlace
	library.EachText(r, h.in(r.ID, &all))
	if len(all) == 0 {
		return 0
	}
	r.ContentHash = memory.ContentHash(r.Content)
	if r.Metadata == nil {
		r.Metadata = map[string]any{}
	}
	r.Metadata[redactionsMember] = all
	return len(all)
}

// head redacts the texts of a conversation except its messages, and returns the number of
// redactions. c must still have its vault id. Provider members of raw_metadata are
// dropped, because their content is unknown.
func (h redactor) head(c *memory.Conversation) int {
	var all []hiddenPlace
	c.RawMetadata = ownMembers(c.RawMetadata)
	library.EachTextOfHead(c, h.in(c.ID, &all))
	return len(all)
}
