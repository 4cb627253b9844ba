package exports

import (
	"context"
	"encoding/json"
	"io"
	"path/filepath"

	"keepsake/backend/atomicfile"
	"keepsake/backend/core/files"
	"keepsake/backend/core/library"
)

// ExportLog writes the vault's activity log to a new file, newest entry first, and
// returns the number of entries. The log names no memory: targets are keyed hashes.
func (s *Service) ExportLog(ctx context.Context, path string) (int, error) {
	page, err := s.logs.Log(ctx, library.LogQuery{})
	if err != nil {
		return 0, err
	}
	err = atomicfile.WriteNew(path, 0o600, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(page)
	})
	if err != nil {
		return 0, files.WriteFault(filepath.Base(path), err)
	}
	return page.Total, nil
}
