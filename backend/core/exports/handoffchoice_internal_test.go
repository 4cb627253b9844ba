package exports

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// TestRowsRankAsTheirMemoriesDo holds that a hand-off's order, which is made of the
// rows of lists, is that of the memories' own types, confidences and times.
func TestRowsRankAsTheirMemoriesDo(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	now := memory.At(time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC))
	some := func() memory.Time {
		return memory.At(now.Add(-time.Duration(random.IntN(40)) * 31 * 24 * time.Hour).Add(time.Duration(random.IntN(3)) * time.Microsecond))
	}
	v, records := &library.Session{Rows: rows.New()}, []memory.Record{}
	for i := range 600 {
		r := memory.Record{ID: "m" + strconv.Itoa(i), Type: memory.Types()[i%len(memory.Types())], Status: memory.Active, Temporal: memory.Temporal{CreatedAt: some()}}
		if i%3 > 0 {
			r.Temporal.UpdatedAt = some()
		}
		if i%4 > 0 {
			r.Confidence = &memory.Confidence{Initial: new(1.0), Current: new(rows.Round(random.Float64())), DecayModel: []memory.Decay{memory.DecayNone, memory.DecayLinear, memory.DecayExponential}[i%3]}
		}
		if i%5 == 1 {
			r.Confidence = &memory.Confidence{Initial: new(1.0), Current: new(0.5), DecayModel: memory.DecayExponential, LastReinforced: some()}
		}
		records = append(records, r)
		var row rows.Memory
		if !rows.ReadMemory(vault.Row{Seq: uint64(i + 1), Text: rows.MemoryOf(r, rows.ProvenanceRecord{}).Encode()}, rows.NewTexts(), &row) {
			t.Fatal("a row is not read")
		}
		v.Rows.PutMemory(&row)
	}
	slices.SortStableFunc(records, func(a, b memory.Record) int {
		rank := func(r memory.Record) candidate {
			changed := r.Temporal.UpdatedAt
			if changed.IsZero() {
				changed = r.Temporal.CreatedAt
			}
			c := candidate{}
			c.Type, c.Confidence, c.Changed, c.ID = r.Type, rows.ConfidenceAt(r.Confidence, r.Temporal.CreatedAt, now.Time), changed.UnixMicro(), r.ID
			return c
		}
		return rank(a).Compare(rank(b).Rank)
	})
	h := Handoff{Excluded: map[string]int{}}
	for i, c := range h.choose(v, HandoffRules{}, now) {
		if c.row.ID != records[i].ID {
			t.Fatalf("%s is in place %d, not %s", c.row.ID, i, records[i].ID)
		}
	}
}
