package lifecycle

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"keepsake/backend/atomicfile"
	"keepsake/backend/core/files"
	"keepsake/backend/core/library"
	"keepsake/backend/fault"
	"keepsake/backend/importer/sample"
	"keepsake/backend/seal"
)

// sampleVault is the throw-away vault of TrySample, in folder, while it is current. back
// is the folder of the previous vault, which becomes current again when it is deleted.
type sampleVault struct {
	folder *atomicfile.Folder
	back   string
}

// TrySample creates a throw-away vault, imports a small made-up export into it, and makes
// it the current vault, unlocked. It is deleted when it is locked or another vault is
// chosen. After a lock the previous vault is the current one again.
func (s *Service) TrySample(ctx context.Context) error {
	if err := s.shutDown(false); err != nil {
		return err
	}
	folder, err := NewScratchFolder(s.cfg.ScratchDir)
	if err != nil {
		return err
	}
	s.lib.Gate.Lock()
	s.sample = &sampleVault{folder: folder, back: s.lib.Dir}
	s.lib.Dir = filepath.Join(folder.Path, "sample")
	_, err = s.create(ctx, []byte(rand.Text()), seal.TestKDF())
	s.lib.Gate.Unlock()
	if err == nil {
		_, err = ImportSample(ctx, s)
	}
	if err != nil {
		return errors.Join(err, s.shutDown(false))
	}
	s.lib.Emit(library.EventVault, nil)
	return nil
}

// throwAway deletes the sample vault if it is the current one. The caller holds lib.Gate.
func (s *Service) throwAway() error {
	if s.sample == nil {
		return nil
	}
	gone := s.sample
	s.sample, s.lib.Dir = nil, gone.back
	defer gone.folder.Close()
	if err := atomicfile.RemoveAll(gone.folder.Path); err != nil {
		return fmt.Errorf("remove sample: %w", err)
	}
	return nil
}

// NewScratchFolder creates a temporary folder in scratchDir. If this process ends without
// removing it, a later call of NewScratchFolder does.
func NewScratchFolder(scratchDir string) (*atomicfile.Folder, error) {
	if err := os.MkdirAll(scratchDir, 0o700); err != nil {
		return nil, fmt.Errorf("make scratch folder: %w", err)
	}
	folder, err := atomicfile.NewFolder(filepath.Join(scratchDir, "sample"))
	if err != nil {
		return nil, fmt.Errorf("make sample folder: %w", err)
	}
	return folder, nil
}

// ImportSample imports the built-in example exports as it would a person's own. They are
// stored as encrypted uploads, so that even a sample is never in plain text on the disk.
func ImportSample(ctx context.Context, s *Service) (library.ImportReport, error) {
	exports, err := sample.Exports()
	if err != nil {
		return library.ImportReport{}, err
	}
	var inputs []files.Input
	for _, e := range exports {
		id, _, err := s.uploads.AddUpload(ctx, e.Name, bytes.NewReader(e.Data))
		if err != nil {
			return library.ImportReport{}, err
		}
		defer s.uploads.DropUpload(id)
		inputs = append(inputs, files.Input{Upload: id})
	}
	report, err := s.imports.Import(ctx, inputs, library.ImportOptions{}, nil)
	if err == nil && report.State != "done" {
		err = fault.New(fault.Internal, "sample-incomplete", "The built-in sample could not be read whole.")
	}
	return report, err
}
