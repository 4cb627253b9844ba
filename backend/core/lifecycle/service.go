package lifecycle

import (
	"sync"

	"keepsake/backend/core/files"
	"keepsake/backend/core/imports"
	"keepsake/backend/core/library"
	"keepsake/backend/core/meaning"
	"keepsake/backend/core/memwipe"
	"keepsake/backend/seal"
)

// Config holds the paths and system services that a Service uses, besides the library.
type Config struct {
	SettingsFile string   // file of the preferences; "": they are not stored
	LeaveRecent  bool     // a vault that is opened is not put into the list of recent ones
	ScratchDir   string   // folder for encrypted temporary files; created when needed
	Keychain     Keychain // of the operating system; nil: there is none

	Cipher     seal.Cipher // for tests only; passed to vault.CreateOptions
	IndexLater bool        // index new records for search only at the next unlock
	Meaning    meaning.Config
}

// Service has the operations on the vault as a whole that the app and the command line
// offer.
type Service struct {
	lib     *library.Library
	logs    *library.Service
	files   *files.Opener
	uploads *files.Service
	imports *imports.Service
	cfg     Config

	sample   *sampleVault // set while the current vault is a throw-away sample vault
	presence presence
	settings sync.Mutex // held while settings.json is read or written
	prefetch prefetch
	memory   *memwipe.Scrubber
}

// NewService returns a Service. It opens no vault and creates no files.
func NewService(lib *library.Library, in *files.Opener, im *imports.Service, cfg Config) *Service {
	s := &Service{lib: lib, logs: library.NewService(lib), files: in, uploads: files.NewService(in), imports: im, cfg: cfg}
	s.memory = memwipe.NewScrubber(s.isLocked)
	return s
}
