package core

import (
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
)

// Config is what a Service is built from. Nothing in it is opened by New.
type Config struct {
	VaultDir     string // folder of the vault; need not exist
	SettingsFile string // preferences; outside the vault, holds no content
	ScratchDir   string // folder for sealed temporary files; made when needed
	Importers    importer.Registry

	Now   func() time.Time // nil: the clock
	NewID func() string    // nil: random UUIDs
}

// Service is everything a person can ask of Keepsake. One process has one; all
// methods may be called at the same time. Every error is a fault or becomes
// one through fault.From.
type Service struct {
	cfg Config
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
	cfg.VaultDir = dir
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.NewID == nil {
		cfg.NewID = uuid.NewString
	}
	if cfg.ScratchDir == "" {
		cfg.ScratchDir = filepath.Join(os.TempDir(), "keepsake-scratch")
	}
	return &Service{cfg: cfg}, nil
}

// NoVault is the fault of asking something of a vault that is not there.
func NoVault(dir string) error {
	return fault.New(fault.NotFound, "no-vault", "There is no vault in {folder}.").With("folder", dir).
		Advise("Make one with `keepsake init`, or name another folder with --vault.")
}
