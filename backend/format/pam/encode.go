package pam

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

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

// conversationHead is what stands before the members of a conversation (§25).
type conversationHead struct {
	Schema        string `json:"schema"`
	SchemaVersion string `json:"schema_version"`
	*memory.Conversation
}

// activeLeaf is the member of raw_metadata that keeps where the active path
// ends; PAM has none for it.
const activeLeaf = "keepsake_active_leaf"

// timeSource is the member of raw_metadata that says where a derived time came
// from.
const timeSource = "keepsake_time_source"

// timed gives messages without a time that of their conversation, and says so: PAM
// requires one (§25). Their references lead where they led when they came.
func timed(c *memory.Conversation) []memory.Message {
	out := make([]memory.Message, len(c.Messages))
	for i, m := range c.Messages {
		if m.CreatedAt.IsZero() {
			m.CreatedAt = c.Temporal.CreatedAt
			m.RawMetadata = maps.Clone(m.RawMetadata)
			if m.RawMetadata == nil {
				m.RawMetadata = memory.RawMetadata{}
			}
			m.RawMetadata[timeSource] = json.RawMessage(`"conversation"`)
		}
		out[i] = led(m)
	}
	return out
}

// EncodeConversation returns the companion document of a conversation.
func EncodeConversation(c *memory.Conversation) ([]byte, error) {
	whole := *c
	whole.Messages = timed(c)
	if c.Leaf != "" {
		leaf, err := json.Marshal(c.Leaf)
		if err != nil {
			return nil, fmt.Errorf("encode leaf: %w", err)
		}
		whole.RawMetadata = memory.RawMetadata{activeLeaf: leaf}
		for name, value := range c.RawMetadata {
			whole.RawMetadata[name] = value
		}
	}
	out, err := json.Marshal(conversationHead{"portable-ai-memory-conversation", SchemaVersion, &whole})
	if err != nil {
		return nil, fmt.Errorf("encode conversation: %w", err)
	}
	if !jsontext.Value(out).IsValid() {
		return strictly(out)
	}
	return out, nil
}

// strictly writes JSON again that a provider's raw members made loose: of a
// name that stands twice the last counts, half a surrogate pair becomes U+FFFD.
func strictly(loose []byte) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(loose))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("read raw members: %w", err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode conversation: %w", err)
	}
	return out, nil
}
