package proposals

import (
	"sync"

	"keepsake/backend/core/browse"
	"keepsake/backend/core/library"
	"keepsake/backend/extract"
)

// Service has the operations on proposals (suggested memories) that the app offers.
type Service struct {
	lib       *library.Library
	browse    *browse.Service
	extractor func() (*extract.Reader, error)
}

// NewService returns a Service. It loads the extraction rules when they are first needed.
func NewService(lib *library.Library, b *browse.Service) *Service {
	return &Service{lib, b, sync.OnceValues(extract.New)}
}
