package lifecycle

import (
	"context"
	"errors"

	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// Aside is an older vault folder that a restore moved to a place next to the current
// vault. It opens with the passphrase and recovery key that it had before the restore,
// and still holds records that were deleted from the current vault after that.
type Aside struct {
	Path string      `json:"path"`
	At   memory.Time `json:"at,omitzero"` // when the restore moved it
	Same bool        `json:"same"`        // it is an earlier state of the current vault
}

// Asides lists the vault folders that restores moved aside. The current vault may be
// open, locked or destroyed.
func (s *Service) Asides(context.Context) ([]Aside, error) {
	found, err := vault.Asides(s.lib.VaultDir())
	all := make([]Aside, 0, len(found))
	for _, a := range found {
		all = append(all, Aside{Path: a.Path, At: memory.At(a.At), Same: a.Own})
	}
	return all, err
}

// RemoveAsides deletes the asides (vault folders that a restore moved aside) that are
// earlier states of the current vault, which must be open, and returns them. secret is
// checked as in DestroyVault, as each aside is a whole vault. Asides of other or unknown
// vaults stay: they may be the only copy.
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

// removeAsides deletes the vault folders with Same, and goes on if one cannot be deleted.
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
