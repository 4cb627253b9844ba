package imports

import (
	"keepsake/backend/core/documents"
	"keepsake/backend/core/files"
	"keepsake/backend/core/library"
	"keepsake/backend/core/proposals"
	"keepsake/backend/importer"
)

// Service plans, runs and resumes imports, and lists their reports.
type Service struct {
	lib       *library.Library
	files     *files.Opener
	uploads   *files.Service
	documents *documents.Service
	proposals *proposals.Service
	sources   *sourceOpener
	importers importer.Registry
	plans     plans
	jobs      jobs
}

// NewService returns a Service that reads files with the given readers.
func NewService(lib *library.Library, in *files.Opener, d *documents.Service, p *proposals.Service, readers importer.Registry) *Service {
	s := &Service{lib: lib, files: in, uploads: files.NewService(in), documents: d, proposals: p, importers: readers, sources: &sourceOpener{in, readers}}
	lib.IsImporting = s.jobs.isImporting
	return s
}
