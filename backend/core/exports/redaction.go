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

// RedactionOptions say which sensitive places are hidden in the exported texts. Nothing
// in the vault changes.
type RedactionOptions struct {
	// Redact turns redaction on or off. nil means the default: on for a hand-off, for MIF
	// and for an export for somebody else, off for the owner's own export.
	Redact *bool
	// Keep lists findings that are not hidden: ids of findings, or kinds.
	Keep []string
	// Addresses makes redaction search for street addresses, which it ignores by default.
	Addresses bool
}

// Found is one finding with its text, for review.
type Found struct {
	ID     string    `json:"id"`    // the same for equal texts of this kind in this item
	In     ThingKind `json:"in"`    // kind of the item that it was found in
	InID   string    `json:"in_id"` // id of that item
	Field  string    `json:"field"` // "content", "summary", "metadata.…", "messages.3.content"
	Kind   string    `json:"kind"`
	Text   string    `json:"text"`
	Before string    `json:"before"` // up to 40 code points before the text
	After  string    `json:"after"`
	Kept   bool      `json:"kept"` // it would be exported unredacted
}

// Findings is one page of the findings in the texts of an export, with counts of all.
type Findings struct {
	Items  []Found        `json:"items"`
	Total  int            `json:"total"`
	Hidden int            `json:"hidden"`
	ByKind map[string]int `json:"by_kind"`
	// Unread counts exported conversations of which only the titles were searched: without
	// redaction their messages are not searched, because that takes long and hides nothing.
	Unread int `json:"unread"`
}

// FindingQuery selects a page of findings. A Limit of 0 means no limit.
type FindingQuery struct{ Offset, Limit int }

// redactionsMember is the key in a memory's metadata (an open block, PAM §10) of the list
// of its redactions. Each (hiddenPlace) has the members of MIF §6.1 and the field's name.
const redactionsMember = "redactions"

// hiddenPlace is one redaction, as written in the metadata of a memory.
type hiddenPlace struct {
	Field string `json:"field"`
	redact.Redaction
}

// redactor decides which findings are hidden, and hides them in texts.
type redactor struct {
	kinds []redact.Kind
	keep  map[string]bool // ids and kinds of the findings that are not hidden
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

// findingID returns an id that is equal for equal texts of a kind in one item, so that a
// person's choice to keep a text stays valid when other words of the item change.
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

// memory redacts every text of a memory, updates its content hash, lists the redactions
// in its metadata, and returns their number.
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
// redactions. c must still have its vault id, from which finding ids are computed. The
// provider's members of raw_metadata are dropped, because their content is unknown.
func (h redactor) head(c *memory.Conversation) int {
	var all []hiddenPlace
	c.RawMetadata = ownMembers(c.RawMetadata)
	library.EachTextOfHead(c, h.in(c.ID, &all))
	return len(all)
}
