package proposals

import (
	"sync"

	"keepsake/backend/core/browse"
	"keepsake/backend/core/library"
	"keepsake/backend/extract"
)

// Service is what a person can ask of proposals.
type Service struct {
	lib       *library.Library
	browse    *browse.Service
	extractor func() (*extract.Reader, error)
}

// NewService reads the rules at the first look.
func NewService(lib *library.Library, b *browse.Service) *Service {
	return &Service{lib, b, sync.OnceValues(extract.New)}
}
