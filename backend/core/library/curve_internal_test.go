package library

import (
	"math"
	"testing"
	"time"

	"keepsake/backend/core/rows"
	"keepsake/backend/memory"
)

func TestCurveEndsWhereItIs(t *testing.T) {
	created := memory.At(time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC))
	c := &memory.Confidence{Current: new(1.0), DecayModel: memory.DecayExponential}
	for _, years := range []int{0, 1, 6} {
		now := created.AddDate(years, 0, 0)
		curve := CurveOf(c, created, now)
		at := curve.Now * float64(len(curve.Values)-1)
		if near := curve.Values[int(math.Round(at))]; math.Abs(near-rows.ConfidenceAt(c, created, now)) > 0.05 || curve.Values[0] != 1 {
			t.Errorf("after %d years at %v: %v", years, curve.Now, curve.Values)
		}
	}
	if CurveOf(&memory.Confidence{DecayModel: memory.DecayNone}, created, created.Time).Values != nil {
		t.Error("what does not decay has a curve")
	}
}
