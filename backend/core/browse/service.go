package browse

import "keepsake/backend/core/library"

// Service lists, searches and counts what an unlocked vault holds. It writes nothing
// but what a person did to find it: saved searches, and that something was read.
type Service struct{ lib *library.Library }

// NewService looks at a library.
func NewService(lib *library.Library) *Service { return &Service{lib} }
