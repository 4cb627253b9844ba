package core

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

// library is the vault in hand: whether it is open, and how a call comes to read and to
// write it. Everything that changes the vault goes through update, as one transaction
// with what undoing it needs.
type library struct {
	// gate is held shared while a call uses the vault, and whole to open it, to
	// lock it or to turn to another. A call that holds it calls no other method
	// of the Service.
	gate   sync.RWMutex
	dir    string   // of the vault in hand
	open   *session // nil while locked
	damage error    // of the vault in hand, found while it was open; nil again once it opens

	clock       func() time.Time
	newID       func() string // called from several goroutines
	isImporting func() bool   // whether an import runs
	subscribers subscribers
	rules       func() (*schema.Set, error)
	languages   func() *language.Reader
}

// libraryFace is what a person can ask of the library.
type libraryFace struct{ lib *library }

func newLibraryFace(lib *library) *libraryFace { return &libraryFace{lib} }

// NoVault is the fault of asking something of a vault that is not there.
func NoVault(dir string) error {
	return fault.New(fault.NotFound, "no-vault", "There is no vault in {folder}.").With("folder", dir).
		Advise("Make one, or name the folder of another vault.")
}

// session is an unlocked vault and what is kept of it in memory.
type session struct {
	vault   *vault.Vault
	rows    *rows.Rows
	indexer *indexer
	owner   owner
	signs   atomic.Pointer[pam.Public] // the key that signs
	drafts  drafts
	reads   readings
	uses    uses
	tries   []time.Time     // failed unlocks before this one
	ctx     context.Context // ends when the vault is locked
	end     context.CancelFunc
	// background is what goes on beside the calls; it ends with ctx, or when the
	// vault refuses its next question.
	background sync.WaitGroup

	unlockedAt uint64      // generation
	older      atomic.Bool // than the keychain remembers

	shown   chan struct{} // closed once the first list is
	showing sync.Once

	gone lruCache[holding] // by the number of changes of sightings

	// features are what others keep of it, by type: kept.
	features sync.Map
	written  func() // called after each change

	// writing is held by whoever writes, until the rows know what was written.
	writing sync.Mutex
	burst   gcBurst // of edits that follow one another
	undone  undone  // guarded by writing
}

// enter gives a call the unlocked vault until leave. ctx ends with the call's
// own or when somebody locks the vault.
func (s *library) enter(ctx context.Context) (v *session, bound context.Context, leave func(), err error) {
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
func (s *library) hold(ctx context.Context) (v *session, bound context.Context, release func(), err error) {
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
func (s *library) shut() error {
	if !vault.Exists(s.dir) {
		return NoVault(s.dir)
	}
	if s.damage != nil {
		return s.damage
	}
	return fault.New(fault.Locked, "vault-locked", "The vault is locked.").Advise("Unlock it with its passphrase.")
}

// read runs fn in one read transaction.
func (s *library) read(ctx context.Context, fn func(*session, *vault.Tx) error) error {
	v, _, leave, err := s.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return v.vault.View(func(tx *vault.Tx) error { return fn(v, tx) })
}

// write runs fn in one write transaction and tells the doors that the library
// changed.
func (s *library) write(ctx context.Context, fn func(*edit) error) error {
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
func (s *library) update(v *session, fn func(*edit) error) error {
	v.writing.Lock()
	defer v.writing.Unlock()
	e := &edit{rows: v.rows, undone: &v.undone, now: s.now(), newID: s.newID, rules: s.rules, languages: s.languages}
	err := v.vault.Update(func(tx *vault.Tx) error {
		e.tx = tx
		return fn(e)
	})
	if err != nil {
		return err
	}
	v.rows.Apply(e.staged)
	v.indexer.hand(v.ctx, e.texts)
	v.written()
	return nil
}

func (s *library) now() memory.Time { return memory.At(s.clock()) }

// owner is who the vault belongs to, as exports name them. Their did:key is that
// of the key that signs.
type owner struct {
	ID        string      `json:"id"`
	CreatedAt memory.Time `json:"created_at"`
}

// show says that a list is on its way to the person.
func (v *session) show() { v.showing.Do(func() { close(v.shown) }) }
