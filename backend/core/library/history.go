package library

import (
	"context"
	"slices"

	"keepsake/backend/core/rows"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// MemoryChange is one change of a memory: its time and the fields that it changed.
type MemoryChange struct {
	At     memory.Time `json:"at"`
	Fields []FieldDiff `json:"fields"` // in each, A is the value before the change
}

// History lists the stored changes of a memory, the newest first.
func (s *Service) History(ctx context.Context, id string) ([]MemoryChange, error) {
	all := []MemoryChange{}
	err := s.lib.Read(ctx, func(v *Session, tx *vault.Tx) error {
		m, err := rows.NeedMemory(tx, id)
		if err != nil {
			return err
		}
		after := m.Record
		for _, old := range slices.Backward(m.Side.Versions) {
			before, err := pam.DecodeMemory(old.Memory)
			if err != nil {
				return err
			}
			all = append(all, MemoryChange{old.Until, said(pam.DiffRecords(before, after))})
			after = before
		}
		s.lib.NoteReading(v, LogRead, id)
		return nil
	})
	return all, err
}

// said drops content_hash and updated_at, which change whenever another field changes.
func said(fields []FieldDiff) []FieldDiff {
	return slices.DeleteFunc(fields, func(f FieldDiff) bool {
		return f.Path == "/content_hash" || f.Path == "/temporal/updated_at"
	})
}

// FieldDiff is a member that differs between two versions of a memory.
type FieldDiff = pam.FieldDiff

// Forgotten is one entry of a plan to forget, or to undo an import, as shown to the
// person.
type Forgotten struct {
	Kind string `json:"kind"` // "memory", "conversation", "task", "view" or "draft"
	ID   string `json:"id"`
	Text string `json:"text"` // the beginning of what it says, or its title
}

// MaxSampled is how many entries the plan of a forget, or of the undo of an import,
// shows, and sampleText how many characters of each entry.
const (
	MaxSampled = 50
	sampleText = 160
)

// Beginning cuts a text to the sampleText characters that a plan shows.
func Beginning(text string) string {
	if runes := []rune(text); len(runes) > sampleText {
		return string(runes[:sampleText]) + "…"
	}
	return text
}

// Kinds of search results.
const (
	FoundMemory       = "memory"
	FoundMessage      = "message"
	FoundConversation = "conversation" // a conversation found by a word of its title
)
