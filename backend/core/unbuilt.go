package core

import (
	"context"
	"io"

	"keepsake/backend/fault"
)

func notBuilt() error {
	return fault.New(fault.Internal, "not-built", "This is not built yet.")
}

type sample struct{}

func (s *Service) throwAway() error { return nil }



func (s *Service) Verify(ctx context.Context, in Input, trustFiles []string) (VerifyReport, error) {
	return VerifyReport{}, notBuilt()
}

func (s *Service) Validate(ctx context.Context, in Input) (Validation, error) {
	return Validation{}, notBuilt()
}

func (s *Service) Inspect(ctx context.Context, in Input) (Inspection, error) {
	return Inspection{}, notBuilt()
}

// Keygen writes a new signing key to path, encrypted where a passphrase is given.
func (s *Service) Keygen(ctx context.Context, path string, passphrase []byte) (KeyInfo, error) {
	return KeyInfo{}, notBuilt()
}

// SignFile signs the PAM file at path with a key file. ask is called only where
// the key file is encrypted.
func (s *Service) SignFile(ctx context.Context, path, keyFile string, ask func() ([]byte, error), out string) (KeyInfo, error) {
	return KeyInfo{}, notBuilt()
}

func (s *Service) Hash(ctx context.Context, r io.Reader) (string, error) { return "", notBuilt() }

func (s *Service) Canonicalize(ctx context.Context, r io.Reader, w io.Writer) error {
	return notBuilt()
}

// Demo does the main job on the sample in a throw-away vault.
func (s *Service) Demo(ctx context.Context, tell func(DemoStep)) (DemoResult, error) {
	return DemoResult{}, notBuilt()
}

// TrySample turns to a throw-away vault with the sample in it, unlocked.
func (s *Service) TrySample(ctx context.Context) error { return notBuilt() }
