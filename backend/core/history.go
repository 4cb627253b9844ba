package core

import (
	"context"
	"slices"

	"keepsake/backend/core/rows"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// MemoryChange is how one change made a memory differ from what it was.
type MemoryChange struct {
	At     memory.Time `json:"at"`
	Fields []FieldDiff `json:"fields"` // a is before
}

// History lists how a memory came to be what it is, the newest change first.
func (s *Service) History(ctx context.Context, id string) ([]MemoryChange, error) {
	all := []MemoryChange{}
	err := s.read(ctx, func(v *session, tx *vault.Tx) error {
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
		s.noteReading(v, logRead, id)
		return nil
	})
	return all, err
}

// said leaves out what differs only because something else does.
func said(fields []FieldDiff) []FieldDiff {
	return slices.DeleteFunc(fields, func(f FieldDiff) bool {
		return f.Path == "/content_hash" || f.Path == "/temporal/updated_at"
	})
}
