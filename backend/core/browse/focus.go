package browse

import (
	"cmp"
	"slices"
	"time"

	"keepsake/backend/chapters"
	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/memory"
)

// Focus is the chapter that more than half of a platform's active memories are in: of all of them, or
// of those made since a month while less than a quarter of those before are in it.
type Focus struct {
	Platform string           `json:"platform"`
	Chapter  chapters.Chapter `json:"chapter"`
	Count    int              `json:"count"` // in the chapter
	Of       int              `json:"of"`
	Since    string           `json:"since,omitempty"` // "2026-05", of UTC; the rest is of memories made since then
	Before   int              `json:"before,omitempty"`
	OfBefore int              `json:"of_before,omitempty"`
}

// What a Focus needs, so that a few memories say nothing of a person.
const (
	fewestOfAll  = 10
	fewestOfPart = 5
	recentMonths = 12 // months that Since may be
)

// monthly counts memories by the month they were made in, counted from year 0, and by chapter. Those
// without a time have month 0.
type monthly map[int]map[chapters.Chapter]int

// focusOf returns the foci of each assistant, that with the most memories first. The chapter You, which
// has what no other takes, is never one.
func focusOf(r *rows.Rows, now memory.Time) []Focus {
	platforms := map[string]monthly{}
	for _, row := range r.Memories.BySeq {
		if row == nil || row.Status != memory.Active || row.Platform == library.ManualPlatform {
			continue
		}
		if platforms[row.Platform] == nil {
			platforms[row.Platform] = monthly{}
		}
		platforms[row.Platform].add(row)
	}
	all := []Focus{}
	for platform, months := range platforms {
		all = append(all, months.foci(platform, monthOf(now.Time))...)
	}
	slices.SortFunc(all, func(a, b Focus) int {
		return cmp.Or(cmp.Compare(a.Since, b.Since), cmp.Compare(b.Of, a.Of), cmp.Compare(a.Platform, b.Platform))
	})
	return all
}

func monthOf(t time.Time) int { return 12*t.UTC().Year() + int(t.UTC().Month()) - 1 }

func (m monthly) add(row *rows.Memory) {
	month := 0
	if row.Created != 0 {
		month = monthOf(rows.TimeOf(row.Created).Time)
	}
	if m[month] == nil {
		m[month] = map[chapters.Chapter]int{}
	}
	m[month][row.Chapter]++
}

func (m monthly) foci(platform string, now int) (all []Focus) {
	counts, of := m.between(0, now+1)
	overall, n := most(counts)
	if of >= fewestOfAll && 2*n > of {
		all = append(all, Focus{Platform: platform, Chapter: overall, Count: n, Of: of})
	}
	for month := now - recentMonths + 1; month <= now; month++ {
		if m[month] == nil {
			continue
		}
		counts, of := m.between(month, now+1)
		chapter, n := most(counts)
		before, ofBefore := m.between(1, month)
		if of >= fewestOfPart && 2*n > of && ofBefore >= fewestOfPart && 4*before[chapter] < ofBefore {
			since := time.Date(month/12, time.Month(month%12+1), 1, 0, 0, 0, 0, time.UTC).Format("2006-01")
			return append(all, Focus{Platform: platform, Chapter: chapter, Count: n, Of: of, Since: since, Before: before[chapter], OfBefore: ofBefore})
		}
	}
	return all
}

// between sums the months from one to before another.
func (m monthly) between(from, to int) (counts map[chapters.Chapter]int, of int) {
	counts = map[chapters.Chapter]int{}
	for month, some := range m {
		if month < from || month >= to {
			continue
		}
		for chapter, n := range some {
			counts[chapter] += n
			of += n
		}
	}
	return counts, of
}

// most returns the chapter with the most memories, You left out.
func most(counts map[chapters.Chapter]int) (chapter chapters.Chapter, n int) {
	for _, c := range chapters.Chapters() {
		if c != chapters.You && counts[c] > n {
			chapter, n = c, counts[c]
		}
	}
	return chapter, n
}
