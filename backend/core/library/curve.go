package library

import (
	"time"

	"keepsake/backend/core/rows"
	"keepsake/backend/memory"
)

// curveSteps is in how many steps a curve of confidence is drawn.
const curveSteps = 24

// Curve is how a confidence decays.
type Curve struct {
	Values []float64 // evenly apart, from the last reinforcement on; nil where it does not decay
	Now    float64   // where this moment is: 0 at the first value, 1 at the last
}

// CurveOf is drawn over two half-lives, or until now where that is longer.
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
