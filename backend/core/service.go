package core

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"keepsake/backend/core/memwipe"
	"keepsake/backend/core/rows"
	"keepsake/backend/extract"
	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/importer"
	"keepsake/backend/language"
	"keepsake/backend/memory"
	"keepsake/backend/schema"
	"keepsake/backend/seal"
	"keepsake/backend/vault"
)

// Config is what a Service is built from. Nothing in it is opened by New.
type Config struct {
	VaultDir     string // folder of the vault; need not exist
	SettingsFile string // preferences; outside the vault, holds no content. "" keeps none
	ScratchDir   string // folder for sealed temporary files; made when needed
	Importers    importer.Registry

	Keychain Keychain // of the operating system; nil: there is none

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
	cfg Config

	// gate is held shared while a call uses the vault, and whole to open it, to
	// lock it or to turn to another. A call that holds it calls no other method
	// of the Service.
	gate   sync.RWMutex
	dir    string       // of the vault in hand
	open   *session     // nil while locked
	damage error        // of the vault in hand, found while it was open; nil again once it opens
	sample *sampleVault // set while the vault in hand is a throw-away one

	subscribers subscribers
	presence    presence
	settings    sync.Mutex // guards settings.json
	derivation  sync.Mutex // held while a key of an encrypted file is derived; no other lock is taken then
	uploads     uploads
	plans       plans
	prefetch    prefetch
	jobs        jobs
	rules       func() (*schema.Set, error)
	extractor   func() (*extract.Reader, error)
	languages   func() *language.Reader
	memory      *memwipe.Scrubber
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
	s := &Service{
		cfg: cfg, dir: dir,
		rules: sync.OnceValues(schema.Compile), extractor: sync.OnceValues(extract.New), languages: sync.OnceValue(language.New),
	}
	s.memory = memwipe.NewScrubber(s.isLocked)
	return s, nil
}

// NoVault is the fault of asking something of a vault that is not there.
func NoVault(dir string) error {
	return fault.New(fault.NotFound, "no-vault", "There is no vault in {folder}.").With("folder", dir).
		Advise("Make one, or name the folder of another vault.")
}

// session is an unlocked vault and what is kept of it in memory.
type session struct {
	vault       *vault.Vault
	rows        *rows.Rows
	indexer     *indexer
	snapshotter *snapshotter
	owner       owner
	signs       atomic.Pointer[pam.Public] // the key that signs
	mover       mover
	offered     offered
	drafts      drafts
	reads       readings
	uses        uses
	looked      lookedAt
	tries       []time.Time     // failed unlocks before this one
	ctx         context.Context // ends when the vault is locked
	end         context.CancelFunc
	// background is what goes on beside the calls; it ends with ctx, or when the
	// vault refuses its next question.
	background sync.WaitGroup

	unlockedAt uint64      // generation
	older      atomic.Bool // than the keychain remembers

	shown   chan struct{} // closed once the first list is
	showing sync.Once

	// Answers are shared: they are only to be read.
	orders   lruCache[[]*rows.Memory]
	tops     lruCache[top]
	facets   lruCache[Facets]
	talks    lruCache[[]listed]
	insights lruCache[Insights]
	graphs   lruCache[*graph]  // of the conversations that were read last
	gone     lruCache[holding] // by the number of changes of sightings

	// writing is held by whoever writes, until the rows know what was written.
	writing sync.Mutex
	burst   gcBurst // of edits that follow one another
	undone  undone  // guarded by writing
}

// enter gives a call the unlocked vault until leave. ctx ends with the call's
// own or when somebody locks the vault.
func (s *Service) enter(ctx context.Context) (v *session, bound context.Context, leave func(), err error) {
	s.gate.RLock()
	if s.open == nil {
		defer s.gate.RUnlock()
		return nil, nil, nil, s.shut()
	}
	v = s.open
	bound, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(v.ctx, cancel)
	return v, bound, func() { stop(); cancel(); s.gate.RUnlock() }, nil
}

// hold is enter for long work that must not keep others from the gate: the
// session may end meanwhile, and ctx with it.
func (s *Service) hold(ctx context.Context) (v *session, bound context.Context, release func(), err error) {
	v, _, leave, err := s.enter(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	leave()
	bound, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(v.ctx, cancel)
	return v, bound, func() { stop(); cancel() }, nil
}

// shut says why there is no session; the gate is held.
func (s *Service) shut() error {
	if !vault.Exists(s.dir) {
		return NoVault(s.dir)
	}
	if s.damage != nil {
		return s.damage
	}
	return fault.New(fault.Locked, "vault-locked", "The vault is locked.").Advise("Unlock it with its passphrase.")
}

// read runs fn in one read transaction.
func (s *Service) read(ctx context.Context, fn func(*session, *vault.Tx) error) error {
	v, _, leave, err := s.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return v.vault.View(func(tx *vault.Tx) error { return fn(v, tx) })
}

// write runs fn in one write transaction and tells the doors that the library
// changed.
func (s *Service) write(ctx context.Context, fn func(*edit) error) error {
	v, _, leave, err := s.enter(ctx)
	if err != nil {
		return err
	}
	err = s.update(v, fn)
	v.burst.renew()
	leave()
	if err == nil {
		s.emit(EventLibrary, nil)
	}
	return err
}

// update is write for who is inside the gate.
func (s *Service) update(v *session, fn func(*edit) error) error {
	v.writing.Lock()
	defer v.writing.Unlock()
	e := &edit{rows: v.rows, undone: &v.undone, now: s.now(), newID: s.cfg.NewID, rules: s.rules, languages: s.languages}
	err := v.vault.Update(func(tx *vault.Tx) error {
		e.tx = tx
		return fn(e)
	})
	if err != nil {
		return err
	}
	v.rows.Apply(e.staged)
	v.indexer.hand(v.ctx, e.texts)
	v.snapshotter.look()
	return nil
}

func (s *Service) now() memory.Time { return memory.At(s.cfg.Now()) }
