package memory

import "slices"

// Status is a state of the lifecycle (PAM §7).
type Status string

const (
	Active     Status = "active"
	Superseded Status = "superseded"
	Deprecated Status = "deprecated"
	Retracted  Status = "retracted"
	Archived   Status = "archived"
)

// Statuses lists the five states in the specification's order.
func Statuses() []Status {
	return []Status{Active, Superseded, Deprecated, Retracted, Archived}
}

// Next lists the legal steps from s (§7.1). There is no way back to active:
// a mistake is undone, not transitioned.
func (s Status) Next() []Status {
	switch s {
	case Active:
		return []Status{Superseded, Deprecated, Retracted, Archived}
	case Superseded:
		return []Status{Archived}
	case Deprecated:
		return []Status{Retracted, Archived}
	}
	return nil
}

// CanBecome reports whether the step from s to next is legal.
func (s Status) CanBecome(next Status) bool { return slices.Contains(s.Next(), next) }
