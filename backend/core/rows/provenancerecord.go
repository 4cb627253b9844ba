package rows

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"

	jsonv2 "github.com/go-json-experiment/json"

	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// ProvenanceRecord is kept sealed beside a memory: who said it, and what was done to
// it here. None of it is part of the memory itself, so that a round trip can
// restore it and an export can leave it out whole.
type ProvenanceRecord struct {
	Sources []MemorySource `json:"sources"`
	// Edits counts changes made here; an edited memory wins over an import.
	Edits int `json:"edits,omitempty"`
	// Here says that the memory was written here; undoing an import does not remove it.
	Here bool `json:"here,omitempty"`
	// Detects says that metadata.language is for us to tell from the words: neither
	// the source nor the person named one.
	Detects bool `json:"detects,omitempty"`
	// Versions are what it was before changes of it, oldest first.
	Versions []version `json:"versions,omitempty"`
}

// Edited reports that the person changed the memory.
func (s ProvenanceRecord) Edited() bool { return s.Edits > 0 }

// Source finds the statement with that platform and key.
func (s ProvenanceRecord) Source(platform, key string) (int, bool) {
	for i, src := range s.Sources {
		if src.Platform == platform && src.SourceKey == key {
			return i, true
		}
	}
	return -1, false
}

// DecodeProvenance reads a stored record; none is an empty one.
func DecodeProvenance(text []byte) (s ProvenanceRecord, err error) {
	if len(text) == 0 {
		return s, nil
	}
	if err := jsonv2.Unmarshal(text, &s); err != nil {
		return s, fmt.Errorf("read sources: %w", err)
	}
	return s, nil
}

// EncodeJSON writes a record as it is stored.
func EncodeJSON(v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("write record: %w", err)
	}
	return text, nil
}

// DecodeJSON reads a record as EncodeJSON writes it; what names it in an error.
func DecodeJSON(text []byte, what string, into any) error {
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("read %s: %w", what, err)
	}
	return nil
}

// FindJSON reads a stored record; where there is none, into stays as it is.
func FindJSON(tx *vault.Tx, c vault.Collection, id, what string, into any) (found bool, err error) {
	text, err := tx.Find(c, id)
	if err != nil || text == nil {
		return false, err
	}
	return true, DecodeJSON(text, what, into)
}

// ContentOf takes only the text out of a stored memory.
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

// The By functions make the names under which memories are looked up. The vault
// stores only keyed hashes of the names.

// ByContent is the lookup name for a content hash.
func ByContent(hash string) string { return "content:" + hash }

// BySource is the lookup name for a statement of a provider.
func BySource(platform, key string) string { return "source:" + platform + "\x00" + key }

// ByOrigin is the lookup name for a memory of a document; origin is from OriginOf.
func ByOrigin(origin string) string { return "origin:" + origin }

// ByRetraction is the lookup name for a retraction that came before its statement.
func ByRetraction(platform, key string) string { return "retraction:" + platform + "\x00" + key }

// Names lists the lookup names that a memory has because of this statement.
func (s MemorySource) Names() []string {
	names := []string{BySource(s.Platform, s.SourceKey)}
	if s.OriginalID != "" {
		names = append(names, ByOrigin(OriginOf(s.Owner, s.OriginalID)))
	}
	return names
}

// MemorySource is one statement of this memory by a provider.
type MemorySource struct {
	Platform        string      `json:"platform"`
	SourceKey       string      `json:"source_key"`
	ImportID        string      `json:"import_id"`
	ConversationRef string      `json:"conversation_ref,omitempty"`
	MessageRef      string      `json:"message_ref,omitempty"`
	Account         string      `json:"account,omitempty"` // of the platform, where it is known
	SaidAt          memory.Time `json:"said_at,omitzero"`
	// Stated is the content hash of the statement as this source last made it.
	Stated string `json:"stated,omitempty"`
	// Of a memory that a document of Portable AI Memory held: its id and the
	// owner there, and the sum of it as the document last had it.
	OriginalID string `json:"original_id,omitempty"`
	Owner      string `json:"owner,omitempty"`
	Record     string `json:"record,omitempty"`
	// Signer is the key that signed the first of these documents, as multibase; ""
	// where no signature held. What that key signs may change the memory.
	Signer string `json:"signer,omitempty"`
}

// CameFrom reports that a memory came from an export of an account of a platform; one
// that was written here, or came from elsewhere and was stated there as well, did not.
func (s ProvenanceRecord) CameFrom(platform, account string) bool {
	return !s.Here && len(s.Sources) > 0 && s.Sources[0].Platform == platform && !IsOtherAccount(s.Sources[0].Account, account)
}

// version is a memory as it stood until a change of it.
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

// OriginOf names a memory of a document. A UUID says which memory it is wherever
// it is met; any other id does so only in documents of the same owner.
func OriginOf(owner, id string) string {
	if _, ok := AsUUID(id); ok {
		return id
	}
	return owner + "\x00" + id
}

// IsOtherAccount says that two accounts are known, and not the same.
func IsOtherAccount(a, b string) bool { return a != "" && b != "" && a != b }

// How many versions are kept of a memory, and how many bytes of them; the oldest
// make room. They stand beside the memory, so that they go where it goes and are
// forgotten with it.
const (
	maxVersions     = 50
	maxVersionBytes = 128 << 10
)
