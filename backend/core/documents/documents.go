package documents

import (
	"keepsake/backend/core/files"
	"keepsake/backend/core/library"
	"keepsake/backend/importer"
)

// Service has the operations on document files and on the keyring that the app and the
// command line offer.
type Service struct {
	lib       *library.Library
	files     *files.Opener
	importers importer.Registry
}

// NewService returns a Service. Most of its methods work without an open vault; an open
// one adds the names of key holders.
func NewService(lib *library.Library, in *files.Opener, importers importer.Registry) *Service {
	return &Service{lib, in, importers}
}
