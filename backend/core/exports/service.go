package exports

import (
	"keepsake/backend/core/files"
	"keepsake/backend/core/library"
)

// Service has the operations on exports that the app and the command line offer.
type Service struct {
	lib   *library.Library
	logs  *library.Service
	files *files.Opener
}

// NewService returns a Service. It reads finished exports again through in, to verify
// them.
func NewService(lib *library.Library, in *files.Opener) *Service {
	return &Service{lib, library.NewService(lib), in}
}
