package bench

import "math"

// Verdicts of a goal.
const (
	Met    = "met"
	Missed = "missed"
	Told   = "told"    // there is no limit
	Unsaid = "unknown" // this system does not tell the figure
)

// Goal is a figure and what it should be at most (docs/performance.md).
type Goal struct {
	What    string  `json:"what"`
	Value   float64 `json:"value"`
	Limit   float64 `json:"limit,omitempty"`
	Verdict string  `json:"verdict"`
}

func atMost(limit float64, what string, value float64) Goal {
	g := told(what, value)
	g.Limit = limit
	switch {
	case g.Verdict == Unsaid:
	case value <= limit:
		g.Verdict = Met
	default:
		g.Verdict = Missed
	}
	return g
}

// told is a figure without a limit. A ratio to a time of zero is not finite and has no verdict: the
// clock of Windows stands still for up to 15.6 ms.
func told(what string, value float64) Goal {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return Goal{What: what, Verdict: Unsaid}
	}
	return Goal{What: what, Value: value, Verdict: Told}
}

// onlyIf judges a goal at the size it was set for, and tells the figure at others.
func (g Goal) onlyIf(reached bool) Goal {
	if reached || g.Verdict == Unsaid {
		return g
	}
	return told(g.What, g.Value)
}

// memory judges the peak that no file stands behind, in megabytes.
func (m medians) memory(limit float64) Goal {
	return memoryGoal(limit, "memory without files, MB", m.work, m.work.Anon)
}

// grown judges how much more memory the work took than was in use before.
func (m medians) grown(limit float64) Goal {
	return memoryGoal(limit, "memory beyond the open vault's, MB", m.work, m.work.Anon-m.work.Before)
}

func memoryGoal(limit float64, what string, f Figures, bytes int64) Goal {
	if !f.Memory {
		return Goal{What: what, Limit: limit, Verdict: Unsaid}
	}
	return atMost(limit, what, float64(bytes)/1e6)
}
