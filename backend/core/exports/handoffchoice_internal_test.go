package exports

import (
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"keepsake/backend/core/rows"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// TestRowsAreAsSureAndNewAsTheirMemories holds that a hand-off, which takes both from the
// rows of lists, weighs the memories' own confidences and times.
func TestRowsAreAsSureAndNewAsTheirMemories(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	now := memory.At(time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC))
	some := func() memory.Time {
		return memory.At(now.Add(-time.Duration(random.IntN(40)) * 31 * 24 * time.Hour).Add(time.Duration(random.IntN(3)) * time.Microsecond))
	}
	for i := range 600 {
		r := memory.Record{ID: "m" + strconv.Itoa(i), Type: memory.Types()[i%len(memory.Types())], Status: memory.Active, Temporal: memory.Temporal{CreatedAt: some()}}
		changed := r.Temporal.CreatedAt
		if i%3 > 0 {
			changed = some()
			r.Temporal.UpdatedAt = changed
		}
		if i%4 > 0 {
			r.Confidence = &memory.Confidence{Initial: new(1.0), Current: new(rows.Round(random.Float64())), DecayModel: []memory.Decay{memory.DecayNone, memory.DecayLinear, memory.DecayExponential}[i%3]}
		}
		if i%5 == 1 {
			r.Confidence = &memory.Confidence{Initial: new(1.0), Current: new(0.5), DecayModel: memory.DecayExponential, LastReinforced: some()}
		}
		var row rows.Memory
		if !rows.ReadMemory(vault.Row{Seq: uint64(i + 1), Text: rows.MemoryOf(r, rows.ProvenanceRecord{}).Encode()}, rows.NewTexts(), &row) {
			t.Fatal("a row is not read")
		}
		if want := rows.ConfidenceAt(r.Confidence, r.Temporal.CreatedAt, now.Time); row.Certainty(now) != want || rows.TimeOf(row.Updated).UnixMicro() != changed.UnixMicro() {
			t.Fatalf("%s: %v of %v, want %v of %v", r.ID, row.Certainty(now), rows.TimeOf(row.Updated), want, changed)
		}
	}
}
