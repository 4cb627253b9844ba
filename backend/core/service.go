package core

import (
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/google/uuid"

	"keepsake/backend/core/agents"
	"keepsake/backend/core/browse"
	"keepsake/backend/core/circles"
	"keepsake/backend/core/documents"
	"keepsake/backend/core/exports"
	"keepsake/backend/core/files"
	"keepsake/backend/core/imports"
	"keepsake/backend/core/library"
	"keepsake/backend/core/lifecycle"
	"keepsake/backend/core/meaning"
	"keepsake/backend/core/portrait"
	"keepsake/backend/core/proposals"
	"keepsake/backend/core/sensitivity"
	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/language"
	"keepsake/backend/product"
	"keepsake/backend/schema"
	"keepsake/backend/seal"
)

// Config holds the paths, the importers and the system services that a Service uses. New
// opens none of them.
type Config struct {
	VaultDir     string // folder of the vault; it need not exist yet
	SettingsFile string // file of the preferences; outside the vault, holds none of its data; "": not stored
	LeaveRecent  bool   // a vault that is opened is not put into the list of recent ones
	ScratchDir   string // folder for encrypted temporary files; created when needed
	Importers    importer.Registry

	Keychain lifecycle.Keychain // of the operating system; nil: there is none

	Now   func() time.Time // nil: time.Now
	NewID func() string    // nil: random UUIDs; called from several goroutines

	// Cipher is for tests only; it is passed to vault.CreateOptions.
	Cipher seal.Cipher
	// IndexLater delays search indexing of new records until the next unlock, so that
	// the time to store them can be measured alone.
	IndexLater bool
	// Meaning says how texts are compared by meaning: by its Encoder or, if the preferences
	// name a server, by that. Without either they are not.
	Meaning meaning.Config
}

// Service has all operations of Keepsake. A process has one Service; its methods may be
// called concurrently. Every error is a *fault.Error, or fault.From turns it into one.
type Service struct {
	*libraryService
	*browseService
	*meaningService
	*sensitivityService
	*circlesService
	*agentsService
	*portraitService
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

// New returns a Service. It opens no vault and creates no files.
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
		cfg.ScratchDir = filepath.Join(os.TempDir(), product.Program+"-scratch")
	}
	in := files.NewOpener(cfg.ScratchDir, cfg.NewID)
	lib := &library.Library{Dir: dir, Clock: cfg.Now, NewID: cfg.NewID, Rules: sync.OnceValues(schema.Compile), Languages: sync.OnceValue(language.New)}
	s := &Service{libraryService: library.NewService(lib), browseService: browse.NewService(lib), meaningService: meaning.NewService(lib), filesService: files.NewService(in), documentsService: documents.NewService(lib, in, cfg.Importers), files: in, lib: lib, cfg: cfg}
	s.sensitivityService, s.circlesService = sensitivity.NewService(lib), circles.NewService(lib)
	s.portraitService = portrait.NewService(lib)
	s.proposalsService = proposals.NewService(lib, s.browseService)
	s.exportsService = exports.NewService(lib, in)
	s.importsService = imports.NewService(lib, in, s.documentsService, s.proposalsService, cfg.Importers)
	s.agentsService = agents.NewService(lib, s.browseService, s.exportsService, s.libraryService, s.filesService, s.importsService)
	s.lifecycleService = lifecycle.NewService(lib, in, s.importsService, lifecycle.Config{
		SettingsFile: cfg.SettingsFile, LeaveRecent: cfg.LeaveRecent, ScratchDir: cfg.ScratchDir, Keychain: cfg.Keychain, Cipher: cfg.Cipher, IndexLater: cfg.IndexLater, Meaning: cfg.Meaning,
	})
	return s, nil
}
