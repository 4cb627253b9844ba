package core

import (
	"context"

	"keepsake/backend/fault"
)

func notBuilt() error {
	return fault.New(fault.Internal, "not-built", "This is not built yet.")
}

type sample struct{}

func (s *Service) throwAway() error { return nil }

// Demo does the main job on the sample in a throw-away vault.
func (s *Service) Demo(ctx context.Context, tell func(DemoStep)) (DemoResult, error) {
	return DemoResult{}, notBuilt()
}

// TrySample turns to a throw-away vault with the sample in it, unlocked.
func (s *Service) TrySample(ctx context.Context) error { return notBuilt() }
