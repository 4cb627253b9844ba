package meaning

import (
	"context"

	"keepsake/backend/core/library"
)

// Service answers questions by meaning.
type Service struct{ lib *library.Library }

// NewService returns a Service that reads the vault through lib.
func NewService(lib *library.Library) *Service { return &Service{lib} }

// IndexState tells how far the index of the vault is.
func (s *Service) IndexState(ctx context.Context) (State, error) {
	v, _, release, err := s.lib.Hold(ctx)
	if err != nil {
		return State{}, err
	}
	defer release()
	return Of(v).State()
}

// MakeVectors makes the vectors that are missing, of no more than most records; 0: of all.
// Without a language model it does nothing.
func (s *Service) MakeVectors(ctx context.Context, most int) error {
	v, ctx, release, err := s.lib.Hold(ctx)
	if err != nil {
		return err
	}
	defer release()
	if !Of(v).Compares() {
		return nil
	}
	return Of(v).CatchUp(ctx, most)
}
