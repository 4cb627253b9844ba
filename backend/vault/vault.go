package vault

import (
	"math"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/zstd"
	"go.etcd.io/bbolt"

	"keepsake/backend/atomicfile"
	"keepsake/backend/seal"
	"keepsake/backend/vault/journal"
)

// Vault is an open folder, owned by this process until Close. All methods are
// safe for concurrent use; inside a View or Update only its Tx may be used,
// except for blobs.
type Vault struct {
	dir  string
	now  func() time.Time
	lock *os.File
	zip  *zstd.Encoder
	unz  *zstd.Decoder

	proveAtOnce int               // sealed values
	step        func(what string) // called before each step that lasts; for tests that stop there

	backing  sync.RWMutex // held whole while a blob is sealed again, by backups while they copy; taken before all others
	opening  sync.Mutex   // one unlock or change of the header at a time; taken before all that follow
	copying  sync.Mutex   // one snapshot, compaction or change of the header at a time; taken before writing
	writing  sync.Mutex   // one Update at a time, until its state is the newest; taken before mu
	desk     desk         // of the Update that is under way
	blobbing sync.RWMutex // held whole while key versions of blobs go or change; taken before mu
	indexing sync.Mutex   // one opening of the index at a time; taken before mu

	owing sync.Mutex // guards owed; taken last
	owed  []Audited  // for the log

	mu       sync.Mutex // guards what follows
	idle     *sync.Cond // active fell to zero
	active   int        // transactions and blob writers under way
	closing  bool       // Lock or Close waits for them
	closed   bool
	db       *bbolt.DB
	trail    trail                       // of the newest commits, beside the data file
	flight   flightReport                // of the data file, before it was opened
	index    *Index                      // nil until it is asked for
	staged   map[string]*atomicfile.Left // blobs by reference, until they are settled
	copies   []copyOf
	header   *seal.Header
	keys     *seal.Keys // nil while locked
	repaired bool
	spoilt   map[uint64]bool // snapshots, by generation, that a check found damaged
	proved   bool            // every sealed value was compared with the state
	cramped  bool            // a checkpoint filled the disk as the vault was unlocked
	isDue    bool            // a checkpoint
	rekeying bool            // everything may be read, nothing changed
	poison   error           // of the commit or the proof that failed

	state   atomic.Pointer[state]         // of the newest commit; nil while locked
	sparing atomic.Int32                  // not 0: little of long files stays mapped
	mapped  mapping                       // of the data file
	over    atomic.Pointer[journal.Layer] // what the newest commits laid over the data file; nil while locked
	due     *time.Timer                   // runs checkpointDue
	buffers sync.Pool                     // of *[copyBytes]byte, for blobs
}

func noStep(string) {}

func newVault(dir string, now func() time.Time, lock *os.File) (*Vault, error) {
	v := &Vault{dir: dir, now: now, lock: lock, proveAtOnce: proveAtOnce, step: noStep}
	v.mapped.while = &v.sparing
	v.idle = sync.NewCond(&v.mu)
	v.due = time.AfterFunc(math.MaxInt64, v.checkpointDue)
	v.due.Stop() // which would keep a vault in memory that does not open
	var err error
	v.zip, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), // only Update and re-key pack, one at a time
		zstd.WithWindowSize(chunkPiece), zstd.WithEncoderCRC(false)) // AES-GCM checks more than a CRC
	if err != nil {
		return nil, err
	}
	v.unz, err = newUnpacker()
	return v, err
}

// Info describes the vault; it works while locked.
func (v *Vault) Info() Info {
	v.mu.Lock()
	h, repaired := v.header, v.repaired
	v.mu.Unlock()
	info := describe(v.dir, h) // walks the folder, which may take a while
	info.Repaired = repaired
	return info
}

// Unlocked reports whether records can be read.
func (v *Vault) Unlocked() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.keys != nil && !v.closing
}

// State describes the newest commit. It is zero while the vault is locked.
func (v *Vault) State() State {
	s := v.state.Load()
	if s == nil {
		return State{}
	}
	return s.public()
}

// enter lets a transaction begin, and keeps Lock waiting until leave.
func (v *Vault) enter() (*seal.Keys, *bbolt.DB, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case v.closed:
		return nil, nil, errClosed()
	case v.keys == nil || v.closing:
		return nil, nil, errLocked()
	case v.poison != nil:
		return nil, nil, errPoisoned(v.poison)
	}
	v.active++
	return v.keys, v.db, nil
}

func (v *Vault) leave() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.active--
	if v.active == 0 {
		v.idle.Broadcast()
	}
}

// Lock forgets the keys, once everything under way has ended. It must not be
// called from inside a View or Update.
func (v *Vault) Lock() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.forget()
}

// forget waits and wipes; mu is held.
func (v *Vault) forget() {
	v.closing = true
	for v.active > 0 {
		v.idle.Wait()
	}
	v.closing = false
	v.due.Stop()
	v.isDue = false
	if v.keys != nil && v.poison == nil && v.roomToApply() == nil {
		v.poison = v.apply(v.db) // what was confirmed is in the journal all the same
	}
	v.closeIndex()
	for ref, left := range v.staged {
		left.Abort()
		delete(v.staged, ref)
	}
	if v.keys != nil {
		v.keys.Wipe()
	}
	v.keys, v.desk = nil, desk{}
	v.trail.close()
	v.trail = trail{}
	v.state.Store(nil)
	v.over.Store(nil)
}

// Close locks the vault and gives the folder back.
func (v *Vault) Close() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.closed {
		return nil
	}
	err := v.abandon()
	_ = v.lock.Close() // closing gives the lock back
	return err
}

// abandon is Close but for the lock; mu is held.
func (v *Vault) abandon() error {
	v.forget()
	v.closed = true
	v.unz.Close()
	return v.db.Close()
}
