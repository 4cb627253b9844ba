package documents

import (
	"keepsake/backend/core/files"
	"keepsake/backend/core/library"
	"keepsake/backend/importer"
)

// Service is what a person can ask of documents and of keys.
type Service struct {
	lib       *library.Library
	files     *files.Opener
	importers importer.Registry
}

// NewService needs no open vault; one that is open knows whose keys are whose.
func NewService(lib *library.Library, in *files.Opener, importers importer.Registry) *Service {
	return &Service{lib, in, importers}
}
