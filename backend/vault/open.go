package vault

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"go.etcd.io/bbolt"

	"keepsake/backend/atomicfile"
	"keepsake/backend/fault"
	"keepsake/backend/seal"
	"keepsake/backend/vault/vaultdir"
)

// Open takes the vault in dir for this process, locked. Its faults: NotFound
// no-vault, Busy vault-busy, Damaged, and Unsupported for a newer format,
// which is seen before anything is written.
func Open(dir string, now func() time.Time) (*Vault, error) {
	lock, err := take(dir)
	if err != nil {
		return nil, err
	}
	return openLocked(dir, now, lock, nil)
}

// OpenBy is Open and then Unlock. The keys are derived while the data file is
// looked at, where no look ahead, which may be nil, has seen it already.
func OpenBy(dir string, now func() time.Time, try Opening, ahead *Ahead) (*Vault, error) {
	lock, err := take(dir)
	if err != nil {
		return nil, err
	}
	early, err := beginTry(dir, try)
	if err != nil {
		_ = lock.Close()
		return nil, err
	}
	v, err := openLocked(dir, now, lock, ahead)
	<-early.done
	defer early.drop()
	if err != nil {
		return nil, err
	}
	if err := v.UnlockBy(early.open); err != nil {
		return nil, errors.Join(err, v.Close())
	}
	return v, nil
}

// MayOpen reports what OpenBy would be refused for whatever the secret: that the
// vault is not there, is of a newer format, or is open elsewhere.
func MayOpen(dir string) error {
	lock, err := take(dir)
	if err != nil {
		return err
	}
	return lock.Close()
}

// take takes the lock of a vault that is there and not of a newer format.
func take(dir string) (*os.File, error) {
	copies, err := readCopies(dir)
	if err != nil {
		return nil, err
	}
	if _, err := newest(copies); fault.CodeOf(err) == fault.Unsupported {
		return nil, err
	}
	if !vaultdir.Exists(dir, vaultdir.DataName) {
		return nil, errDataMissing(dir)
	}
	return vaultdir.Lock(dir)
}

// earlyTry is a try of the header that will most likely be the one to open,
// made before all of its copies are known.
type earlyTry struct {
	try  Opening
	raw  []byte // of the header; nil where no copy can be read
	keys *seal.Keys
	err  error
	done chan struct{}
}

// mostEarly is the work of an early try: no more than that of a slot that Keepsake
// makes (seal.DefaultKDF: 256 MiB, 16 passes).
const mostEarly = 256 << 10 * 16

func beginTry(dir string, try Opening) (*earlyTry, error) {
	copies, err := readCopies(dir)
	if err != nil {
		return nil, err
	}
	e := &earlyTry{try: try, done: make(chan struct{})}
	likely := candidates(copies)
	if len(likely) == 0 || likely[0].h.Work() > mostEarly { // what the data file says is worth waiting for
		close(e.done)
		return e, nil
	}
	e.raw = likely[0].h.Bytes()
	go func() {
		defer close(e.done)
		e.keys, e.err = try(likely[0].h)
	}()
	return e, nil
}

// open gives out what the early try has come to, once, and tries every other
// header.
func (e *earlyTry) open(h *seal.Header) (*seal.Keys, error) {
	if e.raw == nil || !bytes.Equal(h.Bytes(), e.raw) {
		return e.try(h)
	}
	keys, err := e.keys, e.err
	e.raw, e.keys = nil, nil
	return keys, err
}

// drop wipes keys that nobody has taken.
func (e *earlyTry) drop() {
	if e.keys != nil {
		e.keys.Wipe()
	}
}

// openLocked opens a vault whose lock is held, and gives it back after an error.
func openLocked(dir string, now func() time.Time, lock *os.File, ahead *Ahead) (*Vault, error) {
	if now == nil {
		now = time.Now
	}
	v, err := openFiles(dir, now, lock, ahead)
	if err != nil {
		_ = lock.Close()
		return nil, err
	}
	return v, nil
}

// openFiles reads the header copies and opens the data file. The lock is held,
// and stays the caller's after an error.
func openFiles(dir string, now func() time.Time, lock *os.File, ahead *Ahead) (*Vault, error) {
	copies, err := readCopies(dir)
	if err != nil {
		return nil, err
	}
	vaultdir.Sweep(dir)
	v, err := newVault(dir, now, lock)
	if err != nil {
		return nil, err
	}
	if v.db, v.flight, err = openChecked(filepath.Join(dir, vaultdir.DataName), ahead); err != nil {
		return nil, err
	}
	if err := v.readHeaders(copies); err != nil {
		_ = v.db.Close()
		return nil, err
	}
	return v, nil
}

func (v *Vault) readHeaders(copies []copyOf) error {
	stored, err := storedCopy(v.db)
	if err != nil {
		return err
	}
	v.copies = append(copies, stored)
	v.header, err = newest(v.copies)
	return err
}

// Unlock opens the vault with its passphrase. WrongPassphrase and Damaged are
// clearly apart. On a vault that is open already it only checks the passphrase.
func (v *Vault) Unlock(ctx context.Context, passphrase []byte) error {
	return v.UnlockBy(ByPassphrase(ctx, passphrase))
}

// UnlockBy is Unlock with any kind of secret.
func (v *Vault) UnlockBy(try Opening) error {
	v.opening.Lock()
	defer v.opening.Unlock()
	tries, err := v.tries()
	if err != nil {
		return err
	}
	keys, used, wrong, err := tryCopies(tries, try) // takes long; the vault can be asked about meanwhile
	if fault.CodeOf(err) == fault.WrongPassphrase {
		NoteTry(v.dir, v.now())
	}
	if err != nil {
		return err
	}
	kept, err := v.admit(keys, used)
	if !kept {
		keys.Wipe()
	}
	switch {
	case err != nil && wrong != nil: // a header of before a change; that of after it refused the secret
		NoteTry(v.dir, v.now())
		return wrong
	case err != nil || !kept:
		return err
	}
	v.repair(used)
	v.clearRemains()
	return nil
}

// ChannelKey is the key of channels to other processes that can open the vault.
func (v *Vault) ChannelKey() (*seal.ChannelKey, error) {
	keys, _, err := v.enter()
	if err != nil {
		return nil, err
	}
	defer v.leave()
	return keys.ChannelKey(), nil
}

// ChannelKeyOf is ChannelKey for a process that does not have the vault open. It takes
// no lock, and reads the two header files alone.
func ChannelKeyOf(dir string, try Opening) (*seal.ChannelKey, error) {
	copies, err := readCopies(dir)
	if err != nil {
		return nil, err
	}
	if _, err := newest(copies); err != nil {
		return nil, err
	}
	keys, _, wrong, err := tryCopies(candidates(copies), try)
	if err != nil {
		return nil, err
	}
	defer keys.Wipe()
	if wrong != nil {
		return nil, wrong
	}
	return keys.ChannelKey(), nil
}

// tries are the headers to try, read anew where a commit failed.
func (v *Vault) tries() ([]copyOf, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.closed {
		return nil, errClosed()
	}
	if err := v.heal(); err != nil {
		return nil, err
	}
	return candidates(v.copies), nil
}

// admit opens the vault with the keys, unless it is open already.
func (v *Vault) admit(keys *seal.Keys, used copyOf) (kept bool, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.closed {
		return false, errClosed()
	}
	if v.keys != nil {
		return false, nil
	}
	if err := v.load(keys, used); err != nil {
		return false, err
	}
	return true, nil
}

// tryCopies opens the first header that opens, and then, with a secret that opens
// it as well, the newest that the same keys wrote. Only where the copies differ is
// there more than one to try; damage in any of them outweighs a wrong secret.
// wrong is what a newer copy said to a secret that opened an older one.
//
// Anybody can write a header, so what all tries cost before one opens is bounded:
// a header that would cost more than is left of seal.MaxWork is passed over.
func tryCopies(copies []copyOf, try Opening) (keys *seal.Keys, used copyOf, wrong, err error) {
	var first error
	var work, refused uint64 // refused is the newest generation that said wrong
	for i, c := range copies {
		if work += c.h.Work(); first != nil && work > seal.MaxWork {
			work -= c.h.Work()
			continue
		}
		keys, err := try(c.h)
		if err == nil {
			if refused > c.h.Generation && fault.CodeOf(first) == fault.WrongPassphrase {
				wrong = first
			}
			if other, of := ofAnother(c, copies[i+1:], work, try); other != nil {
				keys.Wipe()
				return other, of, nil, nil
			}
			if wrong == nil {
				keys, c, wrong = newestOf(keys, c, copies, try)
			}
			return keys, c, wrong, nil
		}
		if fault.CodeOf(err) == fault.WrongPassphrase {
			refused = max(refused, c.h.Generation)
		}
		if first == nil || fault.CodeOf(err) == fault.Damaged {
			first = err
		}
	}
	return nil, copyOf{}, nil, first
}

// newestOf goes over to the newest header that keys wrote, where the secret opens it.
func newestOf(keys *seal.Keys, used copyOf, copies []copyOf, try Opening) (_ *seal.Keys, _ copyOf, wrong error) {
	newest := used
	for _, c := range copies {
		if c.h.Generation > newest.h.Generation && keys.Authentic(c.h) {
			newest = c
		}
	}
	if newest.h == used.h {
		return keys, used, nil
	}
	again, err := try(newest.h)
	if fault.CodeOf(err) == fault.WrongPassphrase {
		return keys, used, err
	}
	if err != nil {
		return keys, used, nil
	}
	keys.Wipe()
	return again, newest, nil
}

// ofAnother opens a header of another vault than the one that opened, if there is
// one behind it: the same secret may open both, and then the data file, whose header
// is tried first, was exchanged for that of another vault. Its values do not open
// with these keys, which is what the person must hear.
func ofAnother(opened copyOf, behind []copyOf, work uint64, try Opening) (*seal.Keys, copyOf) {
	for _, c := range behind {
		if work += c.h.Work(); c.h.VaultID == opened.h.VaultID || work > mostEarly {
			work -= c.h.Work()
			continue
		}
		if keys, err := try(c.h); err == nil {
			return keys, c
		}
	}
	return nil, copyOf{}
}

// heal replaces a data file handle whose commit failed, or whose name may not
// last; mu is held.
func (v *Vault) heal() error {
	if v.poison == nil {
		return nil
	}
	v.forget()
	_ = v.db.Close()
	if err := atomicfile.SyncDir(v.dir); err != nil {
		return vaultdir.ErrWriting(err)
	}
	if err := v.reread(); err != nil {
		return err
	}
	v.poison = nil
	return nil
}

// reread opens the data file again and reads the headers; mu is held, and the
// handle before is closed.
func (v *Vault) reread() error {
	copies, err := readCopies(v.dir)
	if err != nil {
		return err
	}
	db, report, err := openChecked(filepath.Join(v.dir, vaultdir.DataName), nil)
	if err != nil {
		return err
	}
	v.db, v.flight = db, report
	return v.readHeaders(copies)
}

// proveAtOnce is how many sealed values are proved before an unlock returns.
// Of more than that, Prove does it while the person looks at the first list.
const proveAtOnce = 200_000

// load reads the state and proves that the data is what the state says.
func (v *Vault) load(keys *seal.Keys, used copyOf) error {
	s, over, trail, err := catchUp(v.dir, v.db, keys)
	if err != nil {
		return err
	}
	if value, known := over.Get(systemBucket, headerKey); known { // the copy that was read from the data file is older
		v.copies[len(v.copies)-1] = parseCopy(vaultdir.DataName, value)
	}
	v.over.Store(over)
	err = v.firstCheckpoint()
	if err == nil {
		err = v.examine(keys, used, s)
	}
	if err != nil {
		v.over.Store(nil)
		trail.close()
		return err
	}
	v.keys, v.header, v.trail = keys, used.h, trail
	v.proved = s.values() <= v.proveAtOnce
	v.state.Store(s)
	return nil
}

// firstCheckpoint brings the data file up to what the journal knew beyond it. A full
// disk is no reason not to open the vault: what cannot be written goes on lying over
// the file. Where that shows only as it is written, the file is opened anew, as after
// any commit that failed, and nothing is added until the next unlock.
func (v *Vault) firstCheckpoint() error {
	v.cramped = false
	if v.roomToApply() != nil {
		return nil
	}
	err := v.apply(v.db)
	if err == nil {
		return nil
	}
	if !vaultdir.DiskFull(err) {
		v.poison = err
		return vaultdir.ErrWriting(err)
	}
	path := v.db.Path()
	_ = v.db.Close()
	db, failed := openData(path, false)
	if failed != nil {
		v.poison = err
		return failed
	}
	v.db, v.cramped = db, true
	return nil
}

// examine proves the data file and opens the keys of the newest state.
func (v *Vault) examine(keys *seal.Keys, used copyOf, s *state) error {
	if used.h.Generation < s.HeaderGeneration {
		return errHeaderOld()
	}
	return view(v.db, func(bt *bbolt.Tx) error {
		if err := openEpochs(&box{tx: &Tx{over: v.over.Load()}, name: systemBucket, file: bt.Bucket(systemBucket)}, keys, s); err != nil {
			return err
		}
		if s.values() > v.proveAtOnce {
			return nil
		}
		stored, err := loadState(bt, keys)
		if err != nil {
			return err
		}
		return verifyOn(runtime.GOMAXPROCS(0), nil, bt, keys, stored)
	})
}

// Prove does what an unlock of a large vault leaves for later: it reads the head
// of every sealed value once and compares all of them with the state record.
// Where they differ the vault refuses further use, as after a failed commit.
// Once proved, it returns at once.
func (v *Vault) Prove() error {
	keys, db, err := v.enter()
	if err != nil {
		return err
	}
	defer v.leave()
	v.mu.Lock()
	proved := v.proved
	v.mu.Unlock()
	if proved {
		return nil
	}
	err = view(db, func(bt *bbolt.Tx) error {
		s, err := loadState(bt, keys)
		if err != nil {
			return err
		}
		// Half the cores are for what the person does meanwhile.
		return verifyOn((runtime.GOMAXPROCS(0)+1)/2, nil, bt, keys, s)
	})
	v.mu.Lock()
	defer v.mu.Unlock()
	v.proved = err == nil
	if err != nil {
		v.poison = err
	}
	return err
}

// openEpochs takes the keys of a state out of the system bucket.
func openEpochs(system interface{ Get(key []byte) []byte }, keys *seal.Keys, s *state) error {
	for _, e := range s.Epochs {
		scope, err := keys.OpenEpoch(e.Version, system.Get(epochKey(e.Version)))
		if err != nil {
			return err
		}
		if Collection(scope) != e.Scope {
			return errDataDamaged(fmt.Errorf("open epoch %d: scope %d is not %d", e.Version, scope, e.Scope))
		}
	}
	return nil
}

// repair brings all copies of the header back to the one that opened. It is
// done on the way and never in the way: a failure leaves what was there.
// opening is held.
func (v *Vault) repair(used copyOf) {
	v.mu.Lock()
	same, newest := true, uint64(0)
	for _, c := range v.copies {
		same = same && bytes.Equal(c.raw, used.raw)
		if c.err == nil && v.keys != nil && v.keys.Authentic(c.h) {
			newest = max(newest, c.h.Generation)
		}
	}
	h, s := used.h, v.state.Load()
	if v.keys == nil || same && s.HeaderGeneration == h.Generation {
		v.mu.Unlock()
		return
	}
	if newest > h.Generation { // a change that was given up must not open the vault later
		h = h.Above(v.keys, newest)
	}
	v.mu.Unlock()
	v.copying.Lock()
	defer v.copying.Unlock()
	if v.putHeader(h, auditEntry{"header-repaired", ""}) != nil {
		return
	}
	v.keepHeader(h)
	if !same {
		v.mu.Lock()
		v.repaired = true
		v.mu.Unlock()
	}
}
