package browse

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// Insights holds statistics on the whole vault.
type Insights struct {
	Memories   int                                   `json:"memories"`
	Types      map[memory.Type]map[memory.Status]int `json:"types"`
	Months     []MonthCount                          `json:"months"`     // memories by month of creation in UTC, oldest first
	Confidence [10]int                               `json:"confidence"` // active memories by confidence as of now: [0] is below 0.1, [9] from 0.9 on
	Fading     int                                   `json:"fading"`     // active memories whose confidence decays with time
	Stale      int                                   `json:"stale"`      // active memories neither changed nor stated again for a year
	// Contradicting counts relations that say that two active memories contradict.
	Contradicting int            `json:"contradicting"`
	Exportable    int            `json:"exportable"` // memories that may be exported
	Days          []DayCount     `json:"days"`       // conversations by the day they began, oldest first
	Models        map[string]int `json:"models"`     // conversations by model
	Focus         []Focus        `json:"focus"`      // of all memories first, then of the newest
}

// MonthCount is the number of memories of one platform that were created in a month.
type MonthCount struct {
	Month    string `json:"month"` // "2026-03"
	Platform string `json:"platform"`
	Count    int    `json:"count"`
}

// DayCount is the number of conversations that began on a day, and of their messages.
type DayCount struct {
	Day           string `json:"day"` // "2026-03-01"
	Conversations int    `json:"conversations"`
	Messages      int    `json:"messages"`
}

// stale is the time without a change or restatement after which an active memory counts
// as Insights.Stale, to be reviewed.
const stale = 365 * 24 * time.Hour

// Insights computes statistics on the vault. The result is shared and must not be
// modified.
func (s *Service) Insights(ctx context.Context) (Insights, error) {
	var out Insights
	now := s.lib.Now()
	err := s.lib.Read(ctx, func(v *library.Session, tx *vault.Tx) (err error) {
		out, err = library.Kept[answers](v).insights.GetOr(minute(now), v.Rows.Version(), func() (Insights, error) {
			counted := Insights{Types: map[memory.Type]map[memory.Status]int{}, Models: map[string]int{}}
			rowInsights(v.Rows, &counted, now)
			return counted, countModels(tx, counted.Models)
		})
		return err
	})
	return out, err
}

// platformMonth is the map key under which memories are counted for Insights.Months.
type platformMonth struct {
	year     int
	month    time.Month
	platform string
}

func rowInsights(r *rows.Rows, out *Insights, now memory.Time) {
	r.RLock()
	defer r.RUnlock()
	months := map[platformMonth]int{}
	for _, row := range r.Memories.BySeq {
		if row == nil {
			continue
		}
		out.Memories++
		if out.Types[row.Kind] == nil {
			out.Types[row.Kind] = map[memory.Status]int{}
		}
		out.Types[row.Kind][row.Status]++
		if row.Created != 0 {
			year, month, _ := rows.TimeOf(row.Created).UTC().Date()
			months[platformMonth{year, month, row.Platform}]++
		}
		if row.Exportable {
			out.Exportable++
		}
		if row.Status == memory.Active {
			out.active(row, now)
		}
	}
	out.Months = make([]MonthCount, 0, len(months))
	for m, n := range months {
		out.Months = append(out.Months, MonthCount{Month: fmt.Sprintf("%04d-%02d", m.year, m.month), Platform: m.platform, Count: n})
	}
	slices.SortFunc(out.Months, func(a, b MonthCount) int {
		return cmp.Or(cmp.Compare(a.Month, b.Month), cmp.Compare(a.Platform, b.Platform))
	})
	for _, rel := range r.Relations {
		if rel.Type == memory.Contradicts && isActive(r, rel.From) && isActive(r, rel.To) {
			out.Contradicting++
		}
	}
	out.Days = daysOf(r)
	out.Focus = focusOf(r, now)
}

func (out *Insights) active(row *rows.Memory, now memory.Time) {
	certainty := row.Certainty(now)
	out.Confidence[min(max(int(certainty*10), 0), 9)]++
	if row.Fades != rows.FadesNot {
		out.Fading++
	}
	if last := max(row.Updated, row.Reinforced); last != 0 && now.Sub(rows.TimeOf(last).Time) > stale {
		out.Stale++
	}
}

func isActive(r *rows.Rows, id string) bool {
	row := r.Memories.Find(id)
	return row != nil && row.Status == memory.Active
}

func daysOf(r *rows.Rows) []DayCount {
	days := map[string]DayCount{}
	for _, c := range r.Conversations.BySeq {
		if c == nil || c.Created == 0 {
			continue
		}
		key := rows.TimeOf(c.Created).UTC().Format(time.DateOnly)
		day := days[key]
		days[key] = DayCount{key, day.Conversations + 1, day.Messages + int(c.Messages)}
	}
	all := slices.Collect(maps.Values(days))
	slices.SortFunc(all, func(a, b DayCount) int { return cmp.Compare(a.Day, b.Day) })
	return all
}

// countModels counts conversations by model. It decrypts every conversation's row, because
// the rows in RAM do not have the model.
func countModels(tx *vault.Tx, models map[string]int) error {
	return rows.EachConversation(tx, func(row *rows.Conversation) {
		if row.Model != "" {
			models[strings.Clone(row.Model)]++
		}
	})
}
