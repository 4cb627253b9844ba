package rows

import (
	"math"
	"testing"
	"time"

	"keepsake/backend/memory"
)

// Promise (PAM §8.1, docs/pam.md): the rates are those that the page tells.
func TestDecayRates(t *testing.T) {
	day := func(n int) memory.Time {
		return memory.At(time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, n))
	}
	for _, c := range []struct {
		model memory.Decay
		days  int
		want  float64
	}{
		{memory.DecayLinear, 0, 0.8}, {memory.DecayLinear, 365, 0.4}, {memory.DecayLinear, 730, 0}, {memory.DecayLinear, 5000, 0},
		{memory.DecayExponential, 365, 0.4}, {memory.DecayExponential, 730, 0.2}, {memory.DecayExponential, 1095, 0.1},
		{memory.DecayNone, 5000, 0.8}, {"", 5000, 0.8}, {memory.DecayLinear, -30, 0.8},
	} {
		made := memory.Confidence{Initial: new(0.9), Current: new(0.8), DecayModel: c.model}
		if got := ConfidenceAt(&made, day(0), day(c.days).Time); got != c.want {
			t.Errorf("%q after %d days: %v, want %v", c.model, c.days, got, c.want)
		}
		made.LastReinforced = day(1000)
		if got := ConfidenceAt(&made, day(0), day(1000+c.days).Time); got != c.want {
			t.Errorf("%q %d days after it was reinforced: %v, want %v", c.model, c.days, got, c.want)
		}
	}
}

// Promise: what leaves with the confidence of the day comes back as it was kept,
// so that a round trip decays nothing twice.
func TestConfidenceComesBack(t *testing.T) {
	created := memory.At(time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC))
	for _, model := range []memory.Decay{memory.DecayLinear, memory.DecayExponential, memory.DecayNone, ""} {
		kept := memory.Confidence{Initial: new(0.9), Current: new(0.8), DecayModel: model}
		exported := memory.At(created.AddDate(0, 0, 300))
		left := kept
		left.Current = new(ConfidenceAt(&kept, created, exported.Time))
		if back := AsReinforced(left, created, exported); math.Abs(*back.Current-*kept.Current) > 0.001 {
			t.Errorf("%q came back as %v", model, *back.Current)
		}
	}
	gone := memory.Confidence{Initial: new(0.9), Current: new(0.0), DecayModel: memory.DecayLinear}
	if back := AsReinforced(gone, created, memory.At(created.AddDate(5, 0, 0))); *back.Current != 0.9 {
		t.Errorf("what was gone came back as %v", *back.Current)
	}
}
