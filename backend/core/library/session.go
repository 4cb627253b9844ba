package library

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/language"
	"keepsake/backend/memory"
	"keepsake/backend/schema"
	"keepsake/backend/vault"
)

// Library is the selected vault, open or locked, with the methods that read and write it.
// Each change by the user is one transaction in Update that also stores its undo data.
type Library struct {
	// Gate is read-locked while a call uses the vault, and write-locked to open it, to
	// lock it or to select another. A call that holds it must not call other methods of
	// the Service.
	Gate   sync.RWMutex
	Dir    string   // folder of the selected vault
	Open   *Session // nil while the vault is locked
	Damage error    // damage found in the vault while it was open; nil again once it is opened

	Clock       func() time.Time
	NewID       func() string // called from several goroutines
	IsImporting func() bool   // reports whether an import runs
	subscribers subscribers
	Rules       func() (*schema.Set, error)
	Languages   func() *language.Reader
}

// Service has the methods of package library for the user; core.Service embeds it.
type Service struct{ lib *Library }

// NewService returns the Service of a Library.
func NewService(lib *Library) *Service { return &Service{lib} }

// NoVault returns the error that there is no vault in the folder dir.
func NoVault(dir string) error {
	return fault.New(fault.NotFound, "no-vault", "There is no vault in {folder}.").With("folder", dir).
		Advise("Make one, or name the folder of another vault.")
}

// Session is an unlocked vault, with the data of the vault that stays in memory until it
// is locked.
type Session struct {
	Vault   *vault.Vault
	Rows    *rows.Rows
	Indexer *Indexer
	Owner   Owner
	Signs   atomic.Pointer[pam.Public] // public part of the key that signs exports
	Drafts  drafts
	Reads   readings
	uses    uses
	Tries   []time.Time     // failed unlocks before this one
	Context context.Context // ends when the vault is locked
	End     context.CancelFunc
	// Background counts the goroutines of the session. They end with Context, or when the
	// vault refuses their next call.
	Background sync.WaitGroup

	UnlockedAt uint64      // generation (count of writes) of the vault when it was unlocked
	Older      atomic.Bool // the keychain holds a later generation: an older copy replaced the vault

	Shown   chan struct{} // closed once the first list is about to be shown: other work waits for it
	showing sync.Once

	gone LRUCache[Holding] // caches the result of Removed until Rows.Sightings changes

	// features maps a Go type to the one value of this type in the session; see Kept.
	features sync.Map
	Written  func() // called after each change: checks whether a snapshot is due
	// PurgeVectors removes the vectors of deleted records from the index file.
	PurgeVectors func() error

	// writing is held from the start of a write until Rows is updated.
	writing    sync.Mutex
	committing atomic.Bool // from before a commit until Rows is updated
	undone     undone      // the redo stack; guarded by writing
}

// Enter takes the read lock of Gate, which leave releases, and returns the session of the
// unlocked vault. The context bound ends with ctx, at leave or when the vault is locked.
func (s *Library) Enter(ctx context.Context) (v *Session, bound context.Context, leave func(), err error) {
	s.Gate.RLock()
	if s.Open == nil {
		defer s.Gate.RUnlock()
		return nil, nil, nil, s.Shut()
	}
	v = s.Open
	bound, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(v.Context, cancel)
	return v, bound, func() { stop(); cancel(); s.Gate.RUnlock() }, nil
}

// Hold is like Enter, but for long operations: it does not keep Gate locked. So the vault
// can be locked at any time; this ends the session and cancels bound.
func (s *Library) Hold(ctx context.Context) (v *Session, bound context.Context, release func(), err error) {
	v, _, leave, err := s.Enter(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	leave()
	bound, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(v.Context, cancel)
	return v, bound, func() { stop(); cancel() }, nil
}

// Shut returns the error that says why there is no session: no vault, a damaged one, or a
// locked one. The caller holds Gate.
func (s *Library) Shut() error {
	if !vault.Exists(s.Dir) {
		return NoVault(s.Dir)
	}
	if s.Damage != nil {
		return s.Damage
	}
	return fault.New(fault.Locked, "vault-locked", "The vault is locked.").Advise("Unlock it with its passphrase.")
}

// Read runs fn in one read transaction.
func (s *Library) Read(ctx context.Context, fn func(*Session, *vault.Tx) error) error {
	v, _, leave, err := s.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return v.View(func(tx *vault.Tx) error { return fn(v, tx) })
}

// View runs fn in a read transaction. The rows show all that the transaction has, and maybe
// changes that were made since it began (see rows.StoredIn).
func (v *Session) View(fn func(*vault.Tx) error) error {
	for {
		behind := false
		err := v.Vault.View(func(tx *vault.Tx) error {
			if behind = v.committing.Load(); behind {
				return nil // what is being committed may be in tx and not yet in the rows
			}
			return fn(tx)
		})
		if !behind {
			return err
		}
		time.Sleep(time.Millisecond) // outside of the transaction, for which a commit may wait
	}
}

// ReadValue reads a value in one read transaction.
func ReadValue[T any](ctx context.Context, s *Library, read func(*vault.Tx) (T, error)) (value T, err error) {
	err = s.Read(ctx, func(_ *Session, tx *vault.Tx) error {
		value, err = read(tx)
		return err
	})
	return value, err
}

// Write runs fn in one write transaction. If it succeeds, Write emits EventLibrary to all
// subscribers.
func (s *Library) Write(ctx context.Context, fn func(*Tx) error) error {
	v, _, leave, err := s.Enter(ctx)
	if err != nil {
		return err
	}
	err = s.Update(v, fn)
	leave()
	if err == nil {
		s.Emit(EventLibrary, nil)
	}
	return err
}

// Update runs fn in one write transaction of a session from Enter or Hold. Unlike Write
// it emits no event.
func (s *Library) Update(v *Session, fn func(*Tx) error) error {
	v.writing.Lock()
	defer v.writing.Unlock()
	e := s.newTx(nil, v)
	e.undone = &v.undone
	if err := v.commit(e, fn); err != nil {
		return err
	}
	v.Indexer.hand(v.Context, e.texts)
	v.Written()
	return nil
}

// commit runs fn in one write transaction and updates the rows.
func (v *Session) commit(e *Tx, fn func(*Tx) error) error {
	defer v.committing.Store(false)
	err := v.Vault.Update(func(tx *vault.Tx) error {
		e.VaultTx = tx
		defer v.committing.Store(true)
		return fn(e)
	})
	if err == nil {
		v.Rows.Apply(e.staged)
	}
	return err
}

// PurgeIndex removes all that the index file has of deleted records: their texts and vectors.
func (v *Session) PurgeIndex(ctx context.Context) error {
	if err := v.Indexer.Purge(ctx); err != nil {
		return err
	}
	return v.PurgeVectors()
}

// VaultDir is the folder of the selected vault, for callers that do not hold Gate.
func (s *Library) VaultDir() string {
	s.Gate.RLock()
	defer s.Gate.RUnlock()
	return s.Dir
}

// Now returns the current time by the clock of the library.
func (s *Library) Now() memory.Time { return memory.At(s.Clock()) }

// Owner identifies the owner of the vault in exports. Their did:key is derived from the
// signing key.
type Owner struct {
	ID        string      `json:"id"`
	CreatedAt memory.Time `json:"created_at"`
}

// Show closes Shown at its first call, when a list is about to be shown to the user.
func (v *Session) Show() { v.showing.Do(func() { close(v.Shown) }) }
