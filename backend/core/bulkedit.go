package core

import (
	"context"
	"slices"

	"keepsake/backend/core/browse"
	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

// MaxAtOnce limits the number of memories that one change may edit.
const MaxAtOnce = 10_000

// ManyEdit is one change of many memories. They are selected by IDs or, if IDs is empty, by
// Query, of which Offset and Limit are ignored. An empty field changes nothing.
type ManyEdit struct {
	IDs        []string
	Query      browse.MemoryQuery
	AddTags    []string
	RemoveTags []string
	Exportable *bool
	Status     memory.Status // new status; not memory.Superseded, which needs a successor
	UndoStatus bool          // revert the last change of status, as Service.UndoStatus does
	Type       memory.Type
	CustomType string // if Type is memory.Custom
}

// EditMany edits many memories in one change, which a single undo reverts.
func (s *Service) EditMany(ctx context.Context, wanted ManyEdit) (ManyChanged, error) {
	if wanted.Status != "" && (!slices.Contains(memory.Statuses(), wanted.Status) || wanted.Status == memory.Superseded) {
		return ManyChanged{}, fault.New(fault.Invalid, "unknown-status", "There is no status called {status}.").With("status", rows.ShortID(string(wanted.Status)))
	}
	ids, err := s.named(ctx, wanted)
	if err != nil {
		return ManyChanged{}, err
	}
	if len(ids) > MaxAtOnce {
		return ManyChanged{}, library.ErrTooManyAtOnce(len(ids), MaxAtOnce)
	}
	return library.MakeChange(ctx, s.lib, "edit-many", func(e *library.Tx) (ManyChanged, []string, error) {
		return library.ChangeMany(ids, func(id string) (bool, error) { return editOne(e, id, wanted) })
	})
}

func (s *Service) named(ctx context.Context, wanted ManyEdit) ([]string, error) {
	if len(wanted.IDs) > 0 {
		return slices.Compact(slices.Sorted(slices.Values(wanted.IDs))), nil
	}
	q := wanted.Query
	q.Offset, q.Limit = 0, 0
	var ids []string
	v, ctx, leave, err := s.lib.Enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	rows, err := browse.Rows(ctx, v, q, s.lib.Now())
	for _, row := range rows {
		ids = append(ids, row.ID)
	}
	return ids, err
}

// editOne applies the edit to one memory, and reports whether that changed it.
func editOne(e *library.Tx, id string, wanted ManyEdit) (bool, error) {
	m, err := rows.NeedMemory(e.VaultTx, id)
	if err != nil {
		return false, err
	}
	before, tags := m.Status, m.Tags
	if wanted.Status != "" && m.Status.CanBecome(wanted.Status) {
		m.Status = wanted.Status
	}
	if wanted.UndoStatus {
		if err := e.UndoStep(&m); err != nil {
			return false, err
		}
	}
	m.Tags = slices.DeleteFunc(library.NormalizeTags(append(slices.Clone(tags), wanted.AddTags...)), func(tag string) bool {
		return slices.Contains(wanted.RemoveTags, tag)
	})
	retagged := !slices.Equal(m.Tags, tags)
	moved := wanted.Exportable != nil && m.MayLeave() != *wanted.Exportable
	if moved {
		library.MemoryEdit{Exportable: wanted.Exportable}.ApplyAccess(&m.Record)
	}
	retyped := wanted.Type != "" && (m.Type != wanted.Type || m.CustomType != wanted.CustomType)
	if retyped {
		library.MemoryEdit{Type: &wanted.Type, CustomType: &wanted.CustomType}.Apply(&m.Record)
	}
	if m.Status == before && !retagged && !moved && !retyped {
		return false, nil
	}
	if err := library.CheckRecord(m.Record); err != nil {
		return false, err
	}
	return true, e.Mend(&m)
}
