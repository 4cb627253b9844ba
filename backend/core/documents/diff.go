package documents

import (
	"context"

	"keepsake/backend/core/files"
	"keepsake/backend/format/pam"
	"keepsake/backend/intake"
	"keepsake/backend/schema"
)

// Results of comparing files, as package pam defines them.
type (
	Difference = pam.Difference
	Changes    = pam.Changes
	DiffEntry  = pam.Entry
)

// DiffFiles returns how file b differs from file a. With base, their common ancestor, it
// also returns which side changed what. It needs no vault.
func (s *Service) DiffFiles(ctx context.Context, a, b files.Input, base *files.Input) (d Difference, err error) {
	err = s.document(ctx, a, func(one *intake.Tree, _ *schema.Set) error {
		return s.document(ctx, b, func(other *intake.Tree, _ *schema.Set) error {
			if base == nil {
				d, err = pam.Diff(ctx, one, other, nil)
				return err
			}
			return s.document(ctx, *base, func(ground *intake.Tree, _ *schema.Set) error {
				d, err = pam.Diff(ctx, one, other, ground)
				return err
			})
		})
	})
	return d, err
}
