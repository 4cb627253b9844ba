package library

import (
	"time"

	"keepsake/backend/core/rows"
	"keepsake/backend/memory"
)

// curveSteps is the number of steps of a Curve; it has one value more.
const curveSteps = 24

// Curve is the data of a chart of how a memory's confidence decays over time.
type Curve struct {
	Values []float64 // at equal intervals from the last reinforcement on; nil: no decay
	Now    float64   // the present as a position on the curve: 0 first value, 1 last value
}

// CurveOf computes the curve of a confidence. It covers two half-lives from the last
// reinforcement, or the time until now if that is longer.
func CurveOf(c *memory.Confidence, created memory.Time, now time.Time) Curve {
	if c == nil || rows.FadingOf(c.DecayModel) == rows.FadesNot {
		return Curve{}
	}
	since := c.LastReinforced
	if since.IsZero() {
		since = created
	}
	gone := max(0, now.Sub(since.Time).Hours()/24)
	span := max(2*rows.HalfLife, gone)
	curve := Curve{Now: gone / span}
	for i := range curveSteps + 1 {
		curve.Values = append(curve.Values, rows.Round(c.Value()*rows.ShareLeft(c.DecayModel, span*float64(i)/curveSteps)))
	}
	return curve
}
