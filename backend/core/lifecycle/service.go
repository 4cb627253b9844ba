package lifecycle

import (
	"sync"

	"keepsake/backend/core/files"
	"keepsake/backend/core/imports"
	"keepsake/backend/core/library"
	"keepsake/backend/core/memwipe"
	"keepsake/backend/seal"
)

// Config is what a Service needs beside the library.
type Config struct {
	SettingsFile string   // preferences; "" keeps none
	ScratchDir   string   // folder for sealed temporary files; made when needed
	Keychain     Keychain // of the operating system; nil: there is none

	Cipher     seal.Cipher // for tests only, as vault.CreateOptions has it
	IndexLater bool        // leaves what is written for the next unlock to index
}

// Service is what a person can ask of the vault as a whole.
type Service struct {
	lib     *library.Library
	logs    *library.Service
	files   *files.Opener
	uploads *files.Service
	imports *imports.Service
	cfg     Config

	sample   *sampleVault // set while the vault in hand is a throw-away one
	presence presence
	settings sync.Mutex // guards settings.json
	prefetch prefetch
	memory   *memwipe.Scrubber
}

// NewService opens and makes nothing.
func NewService(lib *library.Library, in *files.Opener, im *imports.Service, cfg Config) *Service {
	s := &Service{lib: lib, logs: library.NewService(lib), files: in, uploads: files.NewService(in), imports: im, cfg: cfg}
	s.memory = memwipe.NewScrubber(s.isLocked)
	return s
}
