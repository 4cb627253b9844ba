package core

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"filippo.io/age"

	"keepsake/backend/atomicfile"
	"keepsake/backend/format/pam"
	"keepsake/backend/intake"
)

// sealed is where the bytes of an export go: into the file, or through age.
func (x *export) sealed(f *atomicfile.File) (io.WriteCloser, error) {
	if x.options.Passphrase == nil {
		return keptOpen{f}, nil
	}
	return pam.Encrypt(f, x.options.Passphrase)
}

// keptOpen is a file that stays open after Close: it is still to be verified.
type keptOpen struct{ io.Writer }

func (keptOpen) Close() error { return nil }

// verifyFile verifies what lies in the file, decrypted again where it is
// encrypted.
func (x *export) verifyFile(ctx context.Context, at io.ReaderAt, size int64) error {
	if x.options.Passphrase != nil {
		with, err := age.NewScryptIdentity(string(x.options.Passphrase)) // age takes no bytes
		if err != nil {
			return fmt.Errorf("open export again: %w", err)
		}
		if at, size, err = age.DecryptReaderAt(at, size, with); err != nil {
			return fmt.Errorf("open export again: %w", err)
		}
	}
	return x.verify(ctx, intake.FromReaderAt(filepath.Base(x.dest), size, at))
}
