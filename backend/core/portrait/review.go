package portrait

import (
	"context"
	"slices"
	"strings"
	"time"

	"keepsake/backend/chapters"
	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

// mostReviewed bounds how many memories one change is about.
const mostReviewed = 10_000

// ConfirmMemories notes that the person says of memories that they are true as they are: they are
// reviewed, and surer than before. Those that are reviewed already or not active stay as they are.
func (s *Service) ConfirmMemories(ctx context.Context, ids []string) (library.ManyChanged, error) {
	return s.changeMany(ctx, "review", ids, func(e *library.Tx, m *rows.StoredMemory) bool {
		if m.Status != memory.Active || !m.Reviewed().IsZero() && !m.Side.ForeignReview {
			return false
		}
		m.SetReviewed(e.Now)
		m.Side.ForeignReview = false
		m.Reinforce(1, e.Now)
		return true
	})
}

// MoveMemories puts memories into a chapter of the portrait; "" lets the program choose it again.
func (s *Service) MoveMemories(ctx context.Context, ids []string, chapter string) (library.ManyChanged, error) {
	if _, err := chapterOf(chapter); err != nil {
		return library.ManyChanged{}, err
	}
	return s.changeMany(ctx, "move", ids, func(_ *library.Tx, m *rows.StoredMemory) bool {
		if was, _ := m.Metadata[memory.ChapterKey].(string); was == chapter {
			return false
		}
		m.SetMember(memory.ChapterKey, chapter)
		return true
	})
}

// changeMany changes memories in one change, without counting it as an edit: an import goes on to
// bring what their source says of them later.
func (s *Service) changeMany(ctx context.Context, kind string, ids []string, change func(*library.Tx, *rows.StoredMemory) bool) (library.ManyChanged, error) {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	if len(ids) > mostReviewed {
		return library.ManyChanged{}, library.ErrTooManyAtOnce(len(ids), mostReviewed)
	}
	return library.MakeChange(ctx, s.lib, kind, func(e *library.Tx) (library.ManyChanged, []string, error) {
		return library.ChangeMany(ids, func(id string) (bool, error) {
			m, err := rows.NeedMemory(e.VaultTx, id)
			if err != nil || !change(e, &m) {
				return false, err
			}
			return true, e.PutMemory(m.Record, m.Side)
		})
	})
}

// Ending says that something was true, and is not any more.
type Ending struct {
	Since   time.Time // when it ended; zero: unknown
	Instead string    // what holds instead; "": nothing is said of it
}

// EndMemory ends an active memory: what holds instead supersedes it as a memory of its own, or it is
// retracted. It returns what holds instead, or else the memory.
func (s *Service) EndMemory(ctx context.Context, id string, ending Ending) (memory.Record, error) {
	ending.Instead = strings.TrimSpace(ending.Instead)
	return library.MakeChange(ctx, s.lib, "end", func(e *library.Tx) (memory.Record, []string, error) {
		m, err := rows.NeedMemory(e.VaultTx, id)
		if err != nil {
			return memory.Record{}, nil, err
		}
		if m.Status != memory.Active {
			return memory.Record{}, nil, fault.New(fault.Conflict, "end-inactive", "Only an active memory can end, and this one is {status}.").With("status", m.Status)
		}
		if !ending.Since.IsZero() {
			m.Temporal.ValidUntil = memory.At(ending.Since)
		}
		if ending.Instead == "" {
			m.Status = memory.Retracted
			return m.Record, []string{id}, checked(e, &m)
		}
		next, err := e.Add(library.NewMemory{Type: m.Type, CustomType: m.CustomType, Content: ending.Instead, Tags: m.Tags})
		if err != nil {
			return next, nil, err
		}
		if next.ID == id {
			return next, nil, fault.New(fault.Invalid, "end-same", "What holds instead says the same as before.").Advise("Write what is different, or leave it empty.")
		}
		m.Status = memory.Superseded
		if err := e.Supersede(&m.Record, next.ID); err != nil {
			return next, nil, err
		}
		return next, []string{id, next.ID}, checked(e, &m)
	})
}

func checked(e *library.Tx, m *rows.StoredMemory) error {
	if err := library.CheckRecord(m.Record); err != nil {
		return err
	}
	return e.Mend(m)
}

// Chapters lists the names of the chapters, in the order of the page.
func Chapters() (names []string) {
	for _, c := range chapters.Chapters() {
		names = append(names, c.String())
	}
	return names
}
