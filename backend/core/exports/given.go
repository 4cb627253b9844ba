package exports

import (
	"context"

	"keepsake/backend/core/circles"
	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/vault"
)

// handedOff is the format of the record of a hand-off; its file is the target.
const handedOff = "handoff"

// givenOf packs the memories of an export.
func givenOf(list []*rows.Memory) rows.Numbers {
	set := make(map[uint64]bool, len(list))
	for _, row := range list {
		set[row.Seq] = true
	}
	return rows.NumbersOf(set)
}

// gave reports whether a memory was in the base. Records of exports of before this was kept do not
// say; those had all that they selected.
func (l *selection) gave(row *rows.Memory) bool {
	return l.base.Given == "" && l.base.Memories > 0 || l.given[row.Seq]
}

// GivenQuery selects what was given: to a circle, of a memory, or both.
type GivenQuery struct {
	Circle string // entity or name; "": to anybody, the owner among them
	Memory string // id; "": any
}

// Given lists the exports and hand-offs that a query selects, newest first. Those of before this
// was noted name no memories, and those of a frozen vault are in the log alone.
func (s *Service) Given(ctx context.Context, q GivenQuery) ([]PastExport, error) {
	all := []PastExport{}
	err := s.lib.Read(ctx, func(v *library.Session, tx *vault.Tx) error {
		entity := ""
		if q.Circle != "" {
			var err error
			if entity, err = circles.EntityOf(ctx, v, tx, q.Circle); err != nil {
				return err
			}
		}
		seq := uint64(0)
		if q.Memory != "" {
			var err error
			if _, err = rows.NeedMemory(tx, q.Memory); err != nil {
				return err
			}
			if seq, err = tx.Seq(vault.Memories, q.Memory); err != nil {
				return err
			}
		}
		kept, err := keptExports(tx)
		for _, k := range kept {
			if (entity == "" || k.Selection.For == entity) && (q.Memory == "" || k.Given.Has(seq)) {
				all = append(all, k.PastExport)
			}
		}
		return err
	})
	return all, err
}
