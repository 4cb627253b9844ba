package exports

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"time"

	"keepsake/backend/core/rows"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
)

// TestWithCurrent holds the quick way to the thorough one, also where a text
// looks like the place that is changed.
func TestWithCurrent(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	at := memory.At(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	for range 500 {
		r := memory.Record{
			ID: "00000000-0000-4000-8000-000000000001", Type: memory.Fact, Status: memory.Active,
			Content:    `says "confidence":{"current":0.5} and \"confidence\":{\"current\":1`,
			Confidence: &memory.Confidence{Initial: new(1.0), Current: new(rows.Round(random.Float64())), DecayModel: memory.DecayLinear, LastReinforced: at},
			Access:     &memory.Access{Visibility: memory.Private, Exportable: true},
			Temporal:   memory.Temporal{CreatedAt: at},
		}
		text, err := pam.EncodeMemory(r)
		if err != nil {
			t.Fatal(err)
		}
		for _, current := range []float64{0, 1, 0.0001, rows.Round(random.Float64())} {
			changed := r
			changed.Confidence = &memory.Confidence{Initial: new(1.0), Current: new(current), DecayModel: memory.DecayLinear, LastReinforced: at}
			want, err := pam.EncodeMemory(changed)
			if err != nil {
				t.Fatal(err)
			}
			if got, ok := withCurrent(text, current); !ok || !bytes.Equal(got, want) {
				t.Fatalf("%s\ninstead of %s", got, want)
			}
		}
	}
	if _, ok := withCurrent([]byte(`{"content":"x"}`), 1); ok {
		t.Error("changed what is not there")
	}
	// A confidence as it was imported is not rounded: 1e-7 is written with an exponent.
	if got, ok := withCurrent([]byte(`{"confidence":{"current":1e-7}}`), 1e-7); ok {
		t.Errorf("%s is not in canonical form", got)
	}
}
