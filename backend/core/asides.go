package core

import (
	"context"

	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// Aside is a vault that a restore put beside the one in hand. It still opens with the
// secrets that it had then, and holds what was forgotten since.
type Aside struct {
	Path string      `json:"path"`
	At   memory.Time `json:"at,omitzero"` // when it was put aside
	Same bool        `json:"same"`        // it is an earlier state of the same vault
}

// Asides lists what restores put beside the vault in hand, locked, open or destroyed.
func (s *Service) Asides(context.Context) ([]Aside, error) {
	found, err := vault.Asides(s.vaultDir())
	all := make([]Aside, 0, len(found))
	for _, a := range found {
		all = append(all, Aside{Path: a.Path, At: memory.At(a.At), Same: a.Own})
	}
	return all, err
}

// RemoveAsides removes all that Asides lists, and returns what it removed. Where the
// vault in hand is there, it has to be open: what was put aside may be all that somebody
// has who cannot open it.
func (s *Service) RemoveAsides(ctx context.Context) ([]Aside, error) {
	if vault.Exists(s.vaultDir()) {
		_, _, release, err := s.hold(ctx)
		if err != nil {
			return nil, err
		}
		defer release()
	}
	all, err := s.Asides(ctx)
	if err != nil {
		return nil, err
	}
	removed := make([]Aside, 0, len(all))
	for _, a := range all {
		if err := vault.RemoveAside(s.vaultDir(), a.Path); err != nil {
			return removed, err
		}
		removed = append(removed, a)
	}
	return removed, nil
}
