package browse

import "keepsake/backend/core/library"

// Service lists, searches and counts the records of an unlocked vault. It writes only
// saved searches, use counts, and log entries about reading.
type Service struct{ lib *library.Library }

// NewService returns a Service that reads the vault through lib.
func NewService(lib *library.Library) *Service { return &Service{lib} }
