package rows

import (
	"math"
	"time"

	"keepsake/backend/memory"
)

// HalfLife is the time, in days, after which a decaying confidence is half as high. PAM
// §8.1 leaves the rate to the program; docs/pam.md documents ours.
const HalfLife = 365

// ConfidenceAt computes the confidence at the time now. The stored value is the one at the
// last reinforcement, or at created if there was none; decay is computed from then on.
func ConfidenceAt(c *memory.Confidence, created memory.Time, now time.Time) float64 {
	value := c.Value()
	if c == nil || FadingOf(c.DecayModel) == FadesNot {
		return value
	}
	since := c.LastReinforced
	if since.IsZero() {
		since = created
	}
	days := now.Sub(since.Time).Hours() / 24
	if since.IsZero() || days <= 0 {
		return value
	}
	return Round(value * ShareLeft(c.DecayModel, days))
}

// ShareLeft returns the share of a confidence that is left after days of decay, 0..1.
func ShareLeft(model memory.Decay, days float64) float64 {
	switch model {
	case memory.DecayLinear:
		return max(0, 1-days/(2*HalfLife))
	case memory.DecayExponential:
		return math.Exp2(-days / HalfLife)
	}
	return 1
}

// AsReinforced converts the confidence of a memory in a PAM file to its stored form: in
// the file, current is as of the export date; here it is as of the last reinforcement. If
// it had decayed to 0, it starts again at initial. A missing current stays missing.
func AsReinforced(c memory.Confidence, created, exported memory.Time) *memory.Confidence {
	since := c.LastReinforced
	if since.IsZero() {
		since = created
	}
	days := exported.Sub(since.Time).Hours() / 24
	if c.Current == nil || since.IsZero() || exported.IsZero() || days <= 0 {
		return &c
	}
	if share := ShareLeft(c.DecayModel, days); share > 0 {
		c.Current = new(Unit(*c.Current / share))
	} else if c.Initial != nil {
		c.Current = c.Initial
	}
	return &c
}

// Reinforce raises the confidence (for worth see Reinforced) of an active memory that was
// stated once more at this time, or at its creation time if that is later.
func (m *StoredMemory) Reinforce(worth float64, at memory.Time) {
	if m.Status != memory.Active || m.Confidence == nil {
		return
	}
	if at.Compare(m.Temporal.CreatedAt) < 0 {
		at = m.Temporal.CreatedAt
	}
	m.Confidence = Reinforced(*m.Confidence, worth, at)
}

// Reinforced returns the confidence after the same fact was stated once more: it
// removes half of the remaining doubt (1 - value), times worth (0..1).
func Reinforced(c memory.Confidence, worth float64, at memory.Time) *memory.Confidence {
	c.Current = new(Round(c.Value() + (1-c.Value())*worth/2))
	if at.Compare(c.LastReinforced) > 0 {
		c.LastReinforced = at
	}
	return &c
}

// Round rounds to four decimal places, so that a value is written the same everywhere.
func Round(x float64) float64 { return math.Round(x*1e4) / 1e4 }

// Unit limits a confidence to 0..1 and rounds it.
func Unit(x float64) float64 { return Round(min(max(x, 0), 1)) }
