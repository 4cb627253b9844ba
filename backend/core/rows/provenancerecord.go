package rows

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"

	jsonv2 "github.com/go-json-experiment/json"

	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// ProvenanceRecord says who stated a memory, and how it was changed in this vault. It is
// stored with the memory, but in a record of its own, so that the memory is exported as it
// was imported, and an export can leave the provenance out.
type ProvenanceRecord struct {
	Sources []MemorySource `json:"sources"`
	// Edits counts changes made in this vault; an edited memory wins over an import.
	Edits int `json:"edits,omitempty"`
	// Here says that the memory was written in this vault; undoing an import leaves it.
	Here bool `json:"here,omitempty"`
	// Detects says that metadata.language is detected from the content, because neither the
	// source nor the user named a language.
	Detects bool `json:"detects,omitempty"`
	// Topics are what the person said of sensitive topics: true where the memory is about one,
	// false where it is not, whatever the program finds.
	Topics map[string]bool `json:"topics,omitempty"`
	// Unconfirmed are the entities that a document of somebody else shares the memory with: they
	// are given nothing before the person shares it with them. Everybody stands for the visibility
	// public.
	Unconfirmed []string `json:"unconfirmed,omitempty"`
	// ForeignReview says that the review in the memory's metadata was made by somebody else, in
	// whose document the memory was: this person has not reviewed it.
	ForeignReview bool `json:"foreign_review,omitempty"`
	// ForeignAsked says that somebody else asked the platforms to forget the memory that its metadata
	// name: this person has not.
	ForeignAsked bool `json:"foreign_asked,omitempty"`
	// Versions are the earlier versions of the memory, oldest first.
	Versions []version `json:"versions,omitempty"`
}

// Everybody stands in ProvenanceRecord.Unconfirmed for a visibility of public. No entity has this
// name: a grant's has a character that can be seen.
const Everybody = ""

// Edited reports whether the user changed the memory.
func (s ProvenanceRecord) Edited() bool { return s.Edits > 0 }

// WithTopic returns the record with what the person said of a sensitive topic; nil takes back
// what was said.
func (s ProvenanceRecord) WithTopic(topic string, is *bool) ProvenanceRecord {
	said := maps.Clone(s.Topics)
	if is == nil {
		delete(said, topic)
	} else {
		if said == nil {
			said = map[string]bool{}
		}
		said[topic] = *is
	}
	s.Topics = said
	return s
}

// Source returns the index in Sources of the statement with this platform and key; false if
// there is none.
func (s ProvenanceRecord) Source(platform, key string) (int, bool) {
	for i, src := range s.Sources {
		if src.Platform == platform && src.SourceKey == key {
			return i, true
		}
	}
	return -1, false
}

// DecodeProvenance decodes a stored record; an empty text is an empty record.
func DecodeProvenance(text []byte) (s ProvenanceRecord, err error) {
	if len(text) == 0 {
		return s, nil
	}
	if err := jsonv2.Unmarshal(text, &s); err != nil {
		return s, fmt.Errorf("read sources: %w", err)
	}
	return s, nil
}

// EncodeJSON encodes a record to the JSON in which it is stored.
func EncodeJSON(v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("write record: %w", err)
	}
	return text, nil
}

// DecodeJSON decodes a record that EncodeJSON encoded; what names the record in errors.
func DecodeJSON[T any](text []byte, what string) (value T, err error) {
	err = decodeInto(&value, text, what)
	return value, err
}

func decodeInto(value any, text []byte, what string) error {
	if err := json.Unmarshal(text, value); err != nil {
		return fmt.Errorf("read %s: %w", what, err)
	}
	return nil
}

// EachJSON yields the records of a collection, oldest first, decoded as by DecodeJSON.
func EachJSON[T any](tx *vault.Tx, c vault.Collection, what string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for e, err := range tx.Each(c) {
			var value T
			if err == nil {
				err = decodeInto(&value, e.Plain, what)
			}
			if !yield(value, err) || err != nil {
				return
			}
		}
	}
}

// FindJSON reads a record from the vault and decodes it. If there is none, it returns false
// and leaves into unchanged.
func FindJSON(tx *vault.Tx, c vault.Collection, id, what string, into any) (found bool, err error) {
	text, err := tx.Find(c, id)
	if err != nil || text == nil {
		return false, err
	}
	return true, decodeInto(into, text, what)
}

// ContentOf returns the content of a stored memory.
func ContentOf(text []byte) (string, error) {
	m, err := pam.DecodeMemory(text)
	return m.Content, err
}

// Sum returns a hash of stored bytes, 16 bytes long, to detect a later change.
func Sum(text []byte) []byte {
	if text == nil {
		return nil
	}
	s := sha256.Sum256(text)
	return s[:16]
}

// The By functions return lookup keys of memories. The vault stores only keyed hashes of
// these keys.

// ByContent returns the lookup key of the memories whose content has this hash.
func ByContent(hash string) string { return "content:" + hash }

// BySource returns the lookup key of the memory with a source of this platform and key.
func BySource(platform, key string) string { return "source:" + platform + "\x00" + key }

// ByOrigin returns the lookup key of a memory from a document; origin is from OriginOf.
func ByOrigin(origin string) string { return "origin:" + origin }

// ByRetraction returns the lookup key that marks a retraction request as carried out.
func ByRetraction(platform, key string) string { return "retraction:" + platform + "\x00" + key }

// Names lists the lookup keys (BySource, ByOrigin) that a memory has from this statement.
func (s MemorySource) Names() []string {
	names := []string{BySource(s.Platform, s.SourceKey)}
	if s.OriginalID != "" {
		names = append(names, ByOrigin(OriginOf(s.Owner, s.OriginalID)))
	}
	return names
}

// MemorySource is one statement of a memory, by a provider or in a document.
type MemorySource struct {
	Platform        string      `json:"platform"`
	SourceKey       string      `json:"source_key"`
	ImportID        string      `json:"import_id"`
	ConversationRef string      `json:"conversation_ref,omitempty"`
	MessageRef      string      `json:"message_ref,omitempty"`
	Account         string      `json:"account,omitempty"` // account on the platform; "" if unknown
	SaidAt          memory.Time `json:"said_at,omitzero"`
	// Stated is the content hash of the statement as this source last made it.
	Stated string `json:"stated,omitempty"`
	// Only of a memory from a Portable AI Memory document: its id and owner in the
	// document, and a hash of the memory as the document last had it.
	OriginalID string `json:"original_id,omitempty"`
	Owner      string `json:"owner,omitempty"`
	Record     string `json:"record,omitempty"`
	// Signer is the key that signed the first document with the memory, as multibase; "" if
	// no signature was valid. Later documents signed with it may change the memory.
	Signer string `json:"signer,omitempty"`
}

// CameFrom reports whether a memory first came from an export of this account. It is false
// if the memory was written here, or came from elsewhere first. Unknown accounts match all.
func (s ProvenanceRecord) CameFrom(platform, account string) bool {
	return !s.Here && len(s.Sources) > 0 && s.Sources[0].Platform == platform && !IsOtherAccount(s.Sources[0].Account, account)
}

// version is an earlier version of a memory, valid until a change.
type version struct {
	Until  memory.Time     `json:"until"`
	Memory json.RawMessage `json:"memory"` // canonical PAM bytes
}

// Keep adds the version before the current change, and drops the oldest versions
// above the limits.
func (s *ProvenanceRecord) Keep(before []byte, until memory.Time) {
	s.Versions = append(s.Versions, version{until, before})
	size := 0
	for i := len(s.Versions) - 1; i >= 0; i-- {
		size += len(s.Versions[i].Memory)
		if size > maxVersionBytes || len(s.Versions)-i > maxVersions {
			s.Versions = slices.Clone(s.Versions[i+1:])
			return
		}
	}
}

// OriginOf returns a global id for a memory of a document. A UUID is unique in all
// documents; any other id only in those of one owner, so the owner is added to it.
func OriginOf(owner, id string) string {
	if _, ok := AsUUID(id); ok {
		return id
	}
	return owner + "\x00" + id
}

// IsOtherAccount reports whether both accounts are known and differ.
func IsOtherAccount(a, b string) bool { return a != "" && b != "" && a != b }

// Limits for the stored versions of a memory; the oldest are dropped. The versions are in
// its ProvenanceRecord, so that they are deleted when the memory is forgotten.
const (
	maxVersions     = 50
	maxVersionBytes = 128 << 10 // of all versions together
)
