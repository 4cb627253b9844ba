package core

import (
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/google/uuid"

	"keepsake/backend/core/browse"
	"keepsake/backend/core/documents"
	"keepsake/backend/core/exports"
	"keepsake/backend/core/files"
	"keepsake/backend/core/imports"
	"keepsake/backend/core/library"
	"keepsake/backend/core/lifecycle"
	"keepsake/backend/core/proposals"
	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/language"
	"keepsake/backend/schema"
	"keepsake/backend/seal"
)

// Config is what a Service is built from. Nothing in it is opened by New.
type Config struct {
	VaultDir     string // folder of the vault; need not exist
	SettingsFile string // preferences; outside the vault, holds no content. "" keeps none
	ScratchDir   string // folder for sealed temporary files; made when needed
	Importers    importer.Registry

	Keychain lifecycle.Keychain // of the operating system; nil: there is none

	Now   func() time.Time // nil: the clock
	NewID func() string    // nil: random UUIDs; called from several goroutines

	// Cipher is for tests only, as vault.CreateOptions has it.
	Cipher seal.Cipher
	// IndexLater leaves what is written for the next unlock to index, so that what
	// storing it takes can be measured alone.
	IndexLater bool
}

// Service is everything a person can ask of Keepsake. One process has one; all
// methods may be called at the same time. Every error is a fault or becomes
// one through fault.From.
type Service struct {
	*libraryService
	*browseService
	*filesService
	*documentsService
	*proposalsService
	*importsService
	*exportsService
	*lifecycleService
	files *files.Opener
	lib   *library.Library
	cfg   Config
}

// New builds a Service. It opens and makes nothing.
func New(cfg Config) (*Service, error) {
	if cfg.VaultDir == "" {
		return nil, fault.New(fault.Invalid, "no-vault-folder", "No folder was named for the vault.")
	}
	dir, err := filepath.Abs(cfg.VaultDir)
	if err != nil {
		return nil, fault.New(fault.Invalid, "bad-vault-folder", "{folder} cannot be the folder of a vault.").
			With("folder", filepath.Base(cfg.VaultDir)).Because(err)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.NewID == nil {
		cfg.NewID = uuid.NewString
	}
	if cfg.ScratchDir == "" {
		cfg.ScratchDir = filepath.Join(os.TempDir(), "keepsake-scratch")
	}
	in := files.NewOpener(cfg.ScratchDir, cfg.NewID)
	lib := &library.Library{Dir: dir, Clock: cfg.Now, NewID: cfg.NewID, Rules: sync.OnceValues(schema.Compile), Languages: sync.OnceValue(language.New)}
	s := &Service{libraryService: library.NewService(lib), browseService: browse.NewService(lib), filesService: files.NewService(in), documentsService: documents.NewService(lib, in, cfg.Importers), files: in, lib: lib, cfg: cfg}
	s.proposalsService = proposals.NewService(lib, s.browseService)
	s.exportsService = exports.NewService(lib, in)
	s.importsService = imports.NewService(lib, in, s.documentsService, s.proposalsService, cfg.Importers)
	s.lifecycleService = lifecycle.NewService(lib, in, s.importsService, lifecycle.Config{
		SettingsFile: cfg.SettingsFile, ScratchDir: cfg.ScratchDir, Keychain: cfg.Keychain, Cipher: cfg.Cipher, IndexLater: cfg.IndexLater,
	})
	return s, nil
}
