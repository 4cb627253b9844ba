package lifecycle

import (
	"context"
	"errors"

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
	found, err := vault.Asides(s.lib.VaultDir())
	all := make([]Aside, 0, len(found))
	for _, a := range found {
		all = append(all, Aside{Path: a.Path, At: memory.At(a.At), Same: a.Own})
	}
	return all, err
}

// RemoveAsides deletes earlier states of the vault in hand, which must be open, and
// returns those it deleted. Each is a whole vault, so secret is checked as in
// DestroyVault. Folders of another or of an unknown vault stay: they may be its only
// copy.
func (s *Service) RemoveAsides(ctx context.Context, secret Secret) ([]Aside, error) {
	_, ctx, release, err := s.lib.Hold(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	if err := s.askAgain(ctx, secret); err != nil {
		return nil, err
	}
	all, err := s.Asides(ctx)
	if err != nil {
		return nil, err
	}
	return s.removeAsides(all)
}

// removeAsides goes on after one that cannot be removed.
func (s *Service) removeAsides(all []Aside) (removed []Aside, err error) {
	removed = []Aside{}
	for _, a := range all {
		if !a.Same {
			continue
		}
		if gone := vault.RemoveAside(s.lib.VaultDir(), a.Path); gone != nil {
			err = errors.Join(err, gone)
			continue
		}
		removed = append(removed, a)
	}
	return removed, err
}
