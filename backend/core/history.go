package core

import (
	"context"
	"encoding/json"
	"slices"

	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// How many versions are kept of a memory, and how many bytes of them; the oldest
// make room. They stand beside the memory, so that they go where it goes and are
// forgotten with it.
const (
	maxVersions     = 50
	maxVersionBytes = 128 << 10
)

// version is a memory as it stood until a change of it.
type version struct {
	Until  memory.Time     `json:"until"`
	Memory json.RawMessage `json:"memory"` // canonical PAM bytes
}

// MemoryChange is how one change made a memory differ from what it was.
type MemoryChange struct {
	At     memory.Time `json:"at"`
	Fields []FieldDiff `json:"fields"` // a is before
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

// History lists how a memory came to be what it is, the newest change first.
func (s *Service) History(ctx context.Context, id string) ([]MemoryChange, error) {
	all := []MemoryChange{}
	err := s.read(ctx, func(v *session, tx *vault.Tx) error {
		m, err := need(tx, id)
		if err != nil {
			return err
		}
		after := m.Record
		for _, old := range slices.Backward(m.side.Versions) {
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
