package portrait

import (
	"context"
	"slices"
	"strings"

	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// Deletions are the memories that are not true any more in the vault, and that the newest export
// of an account still holds.
type Deletions struct {
	Platform string      `json:"platform"`
	Account  string      `json:"account,omitempty"` // "": the export names none
	Exported memory.Time `json:"exported"`          // up to when that export told
	Total    int         `json:"total"`
	First    []Statement `json:"first"` // the newest first, in the words of the export where they are known
}

// PortraitDeletions tells for each account what is to be deleted there: what is retracted or
// superseded here, stands in its newest export, and was not asked to be forgotten.
func (s *Service) PortraitDeletions(ctx context.Context, q NewsQuery) ([]Deletions, error) {
	all := []Deletions{}
	err := s.lib.Read(ctx, func(v *library.Session, tx *vault.Tx) error {
		accounts, err := exportsOf(tx)
		if err != nil {
			return err
		}
		for _, exports := range accounts {
			newest := exports[len(exports)-1]
			if !q.is(newest.Platform, newest.Account) {
				continue
			}
			d, err := newest.deletions(ctx, v, tx, q)
			if err != nil {
				return err
			}
			if d.Total > 0 {
				all = append(all, d)
			}
		}
		return nil
	})
	return all, err
}

// deletions lists what the export holds that is to be deleted at its account.
func (e accountExport) deletions(ctx context.Context, v *library.Session, tx *vault.Tx, q NewsQuery) (Deletions, error) {
	d := Deletions{Platform: e.Platform, Account: e.Account, Exported: e.day(), First: []Statement{}}
	var kept []*rows.Memory
	for _, row := range rowsIn(v, tx, e.Memories.Has) {
		if err := ctx.Err(); err != nil {
			return d, err
		}
		if !isOver(row.Status) {
			continue
		}
		m, err := rows.NeedMemory(tx, row.ID)
		if err != nil {
			return d, err
		}
		if ok, err := isToDelete(tx, m, e.Platform); err != nil {
			return d, err
		} else if ok {
			kept = append(kept, row)
		}
	}
	d.Total = len(kept)
	for _, row := range q.window(kept) {
		p, err := statedWords(tx, row, e.Platform)
		if err != nil {
			return d, err
		}
		d.First = append(d.First, p)
	}
	return d, nil
}

// isOver reports whether a memory with this status is called not true any more.
func isOver(s memory.Status) bool { return s == memory.Retracted || s == memory.Superseded }

// isToDelete reports whether a platform that states the memory, which is over, should be asked to
// forget it: not where it was, where the platform itself took the memory back, or where the memory
// was merged into another that says the same.
func isToDelete(tx *vault.Tx, m rows.StoredMemory, platform string) (bool, error) {
	if !m.Side.ForeignAsked && !m.Asked(platform).IsZero() {
		return false, nil
	}
	fromDocument := slices.ContainsFunc(m.Side.Sources, func(s rows.MemorySource) bool { return s.OriginalID != "" })
	if !m.Side.Edited() && !m.Side.Here && !fromDocument {
		return false, nil
	}
	if m.Temporal.SupersededBy == "" {
		return true, nil
	}
	by, ok, err := rows.LoadMemory(tx, m.Temporal.SupersededBy)
	merged := ok && slices.ContainsFunc(by.Side.Sources, func(s rows.MemorySource) bool { return strings.HasPrefix(s.SourceKey, library.MergedKey(m.ID)) })
	return !merged, err
}

// statedWords returns a memory in the words in which the platform last stated it, where the vault
// has these; otherwise in its own.
func statedWords(tx *vault.Tx, row *rows.Memory, platform string) (Statement, error) {
	m, err := rows.NeedMemory(tx, row.ID)
	if err != nil {
		return Statement{}, err
	}
	p := Statement{ID: m.ID, Content: m.Content, Status: m.Status}
	isStated := func(content string) bool {
		hash := memory.ContentHash(content)
		return slices.ContainsFunc(m.Side.Sources, func(s rows.MemorySource) bool { return s.Platform == platform && s.Stated == hash })
	}
	if isStated(m.Content) {
		return p, nil
	}
	for _, version := range slices.Backward(m.Side.Versions) {
		before, err := rows.ContentOf(version.Memory)
		if err != nil {
			return p, err
		}
		if isStated(before) {
			p.Content = before
			break
		}
	}
	return p, nil
}

// MarkAsked notes that the person asked a platform to forget memories. Those that are not over, that
// the platform never stated, or that it was asked to forget before, stay as they are.
func (s *Service) MarkAsked(ctx context.Context, platform string, ids []string) (library.ManyChanged, error) {
	return s.changeMany(ctx, "ask", ids, func(e *library.Tx, m *rows.StoredMemory) bool {
		states := slices.ContainsFunc(m.Side.Sources, func(s rows.MemorySource) bool { return s.Platform == platform })
		if !isOver(m.Status) || !states || !m.Side.ForeignAsked && !m.Asked(platform).IsZero() {
			return false
		}
		if m.Side.ForeignAsked {
			m.SetMember(memory.AskedKey, nil)
			m.Side.ForeignAsked = false
		}
		m.SetAsked(platform, e.Now)
		return true
	})
}
