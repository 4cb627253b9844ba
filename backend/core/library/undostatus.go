package library

import (
	"context"
	"slices"

	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// UndoStatus reverts the last status change of a memory, however old it is. PAM §7.1 has
// no step back, so the earlier status is found in the stored versions of the memory. Later
// changes of other fields stay. The call is a change of its own, which Undo can undo.
func (s *Service) UndoStatus(ctx context.Context, id string) (memory.Record, error) {
	return MakeChange(ctx, s.lib, "set-status", func(e *Tx) (memory.Record, []string, error) {
		m, err := rows.NeedMemory(e.VaultTx, id)
		if err != nil {
			return memory.Record{}, nil, err
		}
		was := m.Status
		if err := e.UndoStep(&m); err != nil {
			return memory.Record{}, nil, err
		}
		if m.Status == was {
			return memory.Record{}, nil, fault.New(fault.Conflict, "no-step-back", "This memory is {status}, and Keepsake keeps no earlier status of it.").With("status", was).
				Advise("It came into the vault that way, or it was changed too often since.")
		}
		err = e.Mend(&m)
		return m.Record, []string{id}, err
	})
}

// BeforeStep returns the version of a memory from before its last status change that was
// not undone, nil if no such version is kept.
func BeforeStep(m *rows.StoredMemory) (*memory.Record, error) {
	if m.Status == memory.Active { // the first status; no step leads to it
		return nil, nil
	}
	var steps []memory.Record // one version for each status that was not undone, oldest first
	for _, old := range m.Side.Versions {
		r, err := pam.DecodeMemory(old.Memory)
		if err != nil {
			return nil, err
		}
		steps = takeStep(steps, r)
	}
	steps = takeStep(steps, m.Record)
	if len(steps) < 2 {
		return nil, nil
	}
	return &steps[len(steps)-2], nil
}

// takeStep appends r, a later version, to steps, the status changes of a memory. If a
// step has the status of r already, or the last step cannot lead to it, then steps were
// undone in between: takeStep first drops them.
func takeStep(steps []memory.Record, r memory.Record) []memory.Record {
	if at := slices.IndexFunc(steps, func(s memory.Record) bool { return s.Status == r.Status }); at >= 0 {
		steps = steps[:at]
	}
	for len(steps) > 0 && !steps[len(steps)-1].Status.CanBecome(r.Status) {
		steps = steps[:len(steps)-1]
	}
	return append(steps, r)
}

// UndoStep gives m the status that it had before its last step, if one is kept. If a
// memory had replaced m, UndoStep removes that link and the supersedes relation.
func (e *Tx) UndoStep(m *rows.StoredMemory) error {
	before, err := BeforeStep(m)
	if before == nil || err != nil {
		return err
	}
	by := m.Temporal.SupersededBy
	m.Status, m.Temporal.SupersededBy = before.Status, before.Temporal.SupersededBy
	if !e.VaultTx.Has(vault.Memories, before.Temporal.SupersededBy) {
		m.Temporal.SupersededBy = ""
	}
	if by == "" || by == m.Temporal.SupersededBy {
		return nil
	}
	if drawn, ok := e.Rows.Relation(by, memory.Supersedes, m.ID); ok {
		return e.DropRelation(drawn.ID)
	}
	return nil
}
