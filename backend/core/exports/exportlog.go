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

// ExportLog writes the whole log into a file, the newest entry first, and says
// how many entries that are. Targets are keyed hashes: it names nothing.
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
