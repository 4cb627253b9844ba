package pam

import (
	"unicode/utf8"

	"keepsake/backend/fault"
	"keepsake/backend/jcs"
	"keepsake/backend/memory"
)

// SchemaVersion is the version of the specification that is written (§3.1).
const SchemaVersion = "1.0"

// TypeRegistry identifies the official registry of custom types (§19.1); it is
// never fetched.
const TypeRegistry = "https://portable-ai-memory.org/types/"

// Types of exports (§16.1).
const (
	Full        = "full"
	Incremental = "incremental"
)

// SpecURI identifies the specification; it is never fetched.
const SpecURI = "https://portable-ai-memory.org/spec/v1.0"

// EncodeMemory returns the canonical bytes of a memory (RFC 8785), ready to be
// stored, summed and written. The caller checks them against the schema.
// Numbers in Metadata that have no exact form are fault Invalid.
func EncodeMemory(r memory.Record) ([]byte, error) {
	if !utf8.ValidString(r.Content) || !utf8.ValidString(r.Summary) {
		return nil, fault.New(fault.Invalid, "record-not-text", "The memory holds bytes that are not text.")
	}
	if r.Status == "" {
		r.Status = memory.Active // §4.3
	}
	if r.Tags == nil {
		r.Tags = []string{}
	}
	if r.Access != nil {
		r.Access = wholeAccess(*r.Access)
	}
	r.Metadata = withoutNulls(r.Metadata)
	out, err := jcs.MarshalFast(r)
	if err != nil {
		return nil, fault.New(fault.Invalid, "memory-not-canonical",
			"The memory holds a number or a text that has no exact written form.").Because(err)
	}
	return out, nil
}

// wholeAccess fills in the defaults of §9: where the block stands, all three
// members do.
func wholeAccess(a memory.Access) *memory.Access {
	if a.Visibility == "" {
		a.Visibility = memory.Private
	}
	if a.SharedWith == nil {
		a.SharedWith = []memory.Grant{}
	}
	return &a
}

// withoutNulls drops null members of the open block; one reference drops them
// before it sums, the other does not.
func withoutNulls(block map[string]any) map[string]any {
	out := make(map[string]any, len(block))
	for name, value := range block {
		if value != nil {
			out[name] = value
		}
	}
	return out
}
