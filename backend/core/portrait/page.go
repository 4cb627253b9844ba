package portrait

import (
	"cmp"
	"context"
	"math"
	"slices"

	"keepsake/backend/chapters"
	"keepsake/backend/core/library"
	"keepsake/backend/core/meaning"
	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/handoff"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// Limits of a portrait.
const (
	firstSentences = 12  // of a chapter, where no more are asked for
	mostSentences  = 200 // at once
	mostCompared   = 300 // of a chapter, the first: compared by meaning, each with each
)

// entry is a sentence by the rows of its memories.
type entry struct {
	row  *rows.Memory
	also []*rows.Memory // that say the same
}

// Portrait reads the portrait, or a chapter of it.
func (s *Service) Portrait(ctx context.Context, q Query) (Portrait, error) {
	only, err := chapterOf(q.Chapter)
	if err != nil {
		return Portrait{}, err
	}
	p := Portrait{Chapters: []Part{}}
	err = s.lib.Read(ctx, func(v *library.Session, tx *vault.Tx) error {
		by := byChapter(v, tx, s.lib.Now())
		for _, c := range chapters.Chapters() {
			entries, err := folded(ctx, v, tx, by[c])
			if err != nil {
				return err
			}
			part := Part{Chapter: c, Total: len(entries), Left: countLeft(entries)}
			p.Total, p.Left = p.Total+part.Total, p.Left+part.Left
			if len(entries) == 0 || q.Chapter != "" && c != only {
				continue
			}
			if part.Sentences, err = read(ctx, tx, q.window(entries)); err != nil {
				return err
			}
			p.Chapters = append(p.Chapters, part)
		}
		return nil
	})
	return p, err
}

func chapterOf(name string) (chapters.Chapter, error) {
	c, ok := chapters.Named(name)
	if !ok && name != "" {
		return c, fault.New(fault.Invalid, "unknown-chapter", "The portrait has no chapter called {chapter}.").With("chapter", rows.ShortID(name))
	}
	return c, nil
}

// byChapter returns the rows of active memories, in each chapter those first that stand highest.
func byChapter(v *library.Session, tx *vault.Tx, now memory.Time) map[chapters.Chapter][]*rows.Memory {
	v.Rows.RLock()
	all := slices.Clone(v.Rows.Memories.BySeq)
	v.Rows.RUnlock()
	all = slices.DeleteFunc(all, func(row *rows.Memory) bool { return row == nil || row.Status != memory.Active })
	by := map[chapters.Chapter][]*rows.Memory{}
	for _, row := range rows.StoredIn(tx, all) {
		by[row.Chapter] = append(by[row.Chapter], row)
	}
	for _, list := range by {
		standings := make(map[*rows.Memory]float64, len(list))
		for _, row := range list {
			standings[row] = standing(row, now)
		}
		slices.SortStableFunc(list, func(a, b *rows.Memory) int { return cmp.Compare(standings[b], standings[a]) })
	}
	return by
}

// standing is where a memory stands among those of its chapter: by its importance, how often it was
// told, and how new it is. A review does not change it, so that no sentence moves while a person
// reads.
func standing(row *rows.Memory, now memory.Time) float64 {
	importance, said := row.Importance()
	if !said {
		importance = handoff.UnsaidImportance
	}
	told := 1 - math.Exp2(-float64(max(0, len(row.Sources)-1)))
	return importance + 0.75*told + 0.25*handoff.Newness(rows.TimeOf(row.Created), now)
}

// folded makes one entry of memories that say the same, in place of the first.
func folded(ctx context.Context, v *library.Session, tx *vault.Tx, list []*rows.Memory) ([]*entry, error) {
	pairs, err := meaning.RepeatsAmong(ctx, v, tx, rows.SeqsOf(list[:min(len(list), mostCompared)]), false)
	if err != nil {
		return nil, err
	}
	like := map[uint64][]uint64{}
	for _, p := range pairs {
		like[p[0]], like[p[1]] = append(like[p[0]], p[1]), append(like[p[1]], p[0])
	}
	var entries []*entry
	by := map[uint64]*entry{} // of the first memory of each
	for _, row := range list {
		var first *entry
		for _, seq := range like[row.Seq] {
			first = cmp.Or(first, by[seq])
		}
		if first != nil {
			first.also = append(first.also, row)
			continue
		}
		e := &entry{row: row}
		by[row.Seq] = e
		entries = append(entries, e)
	}
	return entries, nil
}

// isReviewed reports whether the person said of all memories of a sentence that they are true.
func (e *entry) isReviewed() bool {
	return e.row.Reviewed && !slices.ContainsFunc(e.also, func(row *rows.Memory) bool { return !row.Reviewed })
}

func countLeft(entries []*entry) (left int) {
	for _, e := range entries {
		if !e.isReviewed() {
			left++
		}
	}
	return left
}

// window returns the entries that are asked for.
func (q Query) window(entries []*entry) []*entry {
	if q.Left {
		entries = slices.DeleteFunc(slices.Clone(entries), (*entry).isReviewed)
	}
	limit := firstSentences
	if q.Chapter == "" {
		q.Offset = 0
	} else if q.Limit > 0 {
		limit = min(q.Limit, mostSentences)
	}
	from := min(max(q.Offset, 0), len(entries))
	return entries[from:min(from+limit, len(entries))]
}

func read(ctx context.Context, tx *vault.Tx, entries []*entry) ([]Sentence, error) {
	all := []Sentence{}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		sentence, err := e.read(tx)
		if err != nil {
			return nil, err
		}
		all = append(all, sentence)
	}
	return all, nil
}

func (e *entry) read(tx *vault.Tx) (Sentence, error) {
	m, err := rows.NeedMemory(tx, e.row.ID)
	if err != nil {
		return Sentence{}, err
	}
	_, moved := m.Metadata[memory.ChapterKey]
	s := Sentence{
		ID: m.ID, Content: m.Content, Type: m.Type, Platforms: e.row.Platforms(), Told: max(1, len(m.Side.Sources)),
		CreatedAt: m.Temporal.CreatedAt, Reviewed: e.isReviewed(), Stays: !m.MayLeave(), Moved: moved, Also: []string{},
	}
	for _, row := range e.also {
		side, err := tx.Find(vault.Sources, row.ID)
		if err != nil {
			return s, err
		}
		provenance, err := rows.DecodeProvenance(side)
		if err != nil {
			return s, err
		}
		s.Also, s.Told = append(s.Also, row.ID), s.Told+max(1, len(provenance.Sources))
		for _, platform := range row.Platforms() {
			if !slices.Contains(s.Platforms, platform) {
				s.Platforms = append(s.Platforms, platform)
			}
		}
	}
	return s, nil
}
