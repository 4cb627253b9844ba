package core

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"

	jsonv2 "github.com/go-json-experiment/json"

	"keepsake/backend/format/pam"
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
