package core

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"

	jsonv2 "github.com/go-json-experiment/json"

	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
)

// sideRecord is kept sealed beside a memory: who said it, and what was done to
// it here. None of it is part of the memory itself, so that a round trip can
// restore it and an export can leave it out whole.
type sideRecord struct {
	Sources []MemorySource `json:"sources"`
	// Edits counts changes made here; an edited memory wins over an import.
	Edits int `json:"edits,omitempty"`
	// Here says that it was written here; no import takes it along.
	Here bool `json:"here,omitempty"`
	// Detects says that metadata.language is for us to tell from the words: neither
	// the source nor the person named one.
	Detects bool `json:"detects,omitempty"`
	// Versions are what it was before changes of it, oldest first.
	Versions []version `json:"versions,omitempty"`
}

func (s sideRecord) edited() bool { return s.Edits > 0 }

// source finds the statement with that platform and key.
func (s sideRecord) source(platform, key string) (int, bool) {
	for i, src := range s.Sources {
		if src.Platform == platform && src.SourceKey == key {
			return i, true
		}
	}
	return -1, false
}

func decodeSide(text []byte) (s sideRecord, err error) {
	if len(text) == 0 {
		return s, nil
	}
	if err := jsonv2.Unmarshal(text, &s); err != nil {
		return s, fmt.Errorf("read sources: %w", err)
	}
	return s, nil
}

func encode(v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("write record: %w", err)
	}
	return text, nil
}

// contentOf takes only the text out of a stored memory.
func contentOf(text []byte) (string, error) {
	m, err := pam.DecodeMemory(text)
	return m.Content, err
}

// sum is how a later change of stored bytes is noticed.
func sum(text []byte) []byte {
	if text == nil {
		return nil
	}
	s := sha256.Sum256(text)
	return s[:16]
}

// Names under which memories are found again; the vault keeps only keyed
// hashes of them.
func byContent(hash string) string             { return "content:" + hash }
func bySource(platform, key string) string     { return "source:" + platform + "\x00" + key }
func byOrigin(origin string) string            { return "origin:" + origin }
func byRetraction(platform, key string) string { return "retraction:" + platform + "\x00" + key }

// names lists what a memory is found by for this statement of it.
func (s MemorySource) names() []string {
	names := []string{bySource(s.Platform, s.SourceKey)}
	if s.OriginalID != "" {
		names = append(names, byOrigin(originOf(s.Owner, s.OriginalID)))
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

// cameFrom reports that a memory came from an export of an account of a platform; one
// that was written here, or came from elsewhere and was stated there as well, did not.
func (s sideRecord) cameFrom(platform, account string) bool {
	return !s.Here && len(s.Sources) > 0 && s.Sources[0].Platform == platform && !otherAccount(s.Sources[0].Account, account)
}

// version is a memory as it stood until a change of it.
type version struct {
	Until  memory.Time     `json:"until"`
	Memory json.RawMessage `json:"memory"` // canonical PAM bytes
}

// keep takes in how a memory stood before the change at hand.
func (s *sideRecord) keep(before []byte, until memory.Time) {
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

// originOf names a memory of a document. A UUID says which memory it is wherever
// it is met; any other id does so only in documents of the same owner.
func originOf(owner, id string) string {
	if _, ok := asUUID(id); ok {
		return id
	}
	return owner + "\x00" + id
}

// origin finds the source that stands for the same memory of a document.
func (s sideRecord) origin(src MemorySource) (int, bool) {
	return s.source(src.Platform, src.SourceKey)
}

// otherAccount says that two accounts are known, and not the same.
func otherAccount(a, b string) bool { return a != "" && b != "" && a != b }

// How many versions are kept of a memory, and how many bytes of them; the oldest
// make room. They stand beside the memory, so that they go where it goes and are
// forgotten with it.
const (
	maxVersions     = 50
	maxVersionBytes = 128 << 10
)
