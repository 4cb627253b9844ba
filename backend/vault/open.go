package vault

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"

	"keepsake/backend/fault"
	"keepsake/backend/seal"
)

// Open takes the vault in dir for this process, locked. Its faults: NotFound
// no-vault, Busy vault-busy, Damaged, and Unsupported for a newer format,
// which is seen before anything is written.
func Open(dir string, now func() time.Time) (*Vault, error) {
	copies, err := readCopies(dir)
	if err != nil {
		return nil, err
	}
	if _, err := newest(copies); fault.CodeOf(err) == fault.Unsupported {
		return nil, err
	}
	if !exists(dir, dataName) {
		return nil, errDataMissing(dir)
	}
	lock, err := takeLock(dir)
	if err != nil {
		return nil, err
	}
	if now == nil {
		now = time.Now
	}
	v, err := openFiles(dir, now, lock)
	if err != nil {
		_ = lock.Close()
		return nil, err
	}
	return v, nil
}

// openFiles reads the header copies and opens the data file. The lock is held,
// and stays the caller's after an error.
func openFiles(dir string, now func() time.Time, lock *os.File) (*Vault, error) {
	copies, err := readCopies(dir)
	if err != nil {
		return nil, err
	}
	sweep(dir)
	v, err := newVault(dir, now, lock)
	if err != nil {
		return nil, err
	}
	if v.db, v.flight, err = openChecked(filepath.Join(dir, dataName)); err != nil {
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
	return v.unlock(func(h *seal.Header) (*seal.Keys, error) { return h.Unlock(ctx, passphrase) })
}

// UnlockRecovery opens the vault with its recovery key, as people type it.
func (v *Vault) UnlockRecovery(ctx context.Context, code string) error {
	return v.unlock(func(h *seal.Header) (*seal.Keys, error) { return h.UnlockRecovery(ctx, code) })
}

func (v *Vault) unlock(try Opening) error {
	v.opening.Lock()
	defer v.opening.Unlock()
	v.mu.Lock()
	tries := candidates(v.copies)
	v.mu.Unlock()
	keys, used, err := tryCopies(tries, try) // takes long; the vault can be asked about meanwhile
	if fault.CodeOf(err) == fault.WrongPassphrase {
		noteTry(v.dir, v.now())
	}
	if err != nil {
		return err
	}
	kept, err := v.admit(keys, used)
	if !kept {
		keys.Wipe()
	}
	return err
}

// admit opens the vault with the keys, unless it is open already.
func (v *Vault) admit(keys *seal.Keys, used copyOf) (kept bool, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.closed {
		return false, errClosed()
	}
	if v.keys != nil && v.poison == nil {
		return false, nil
	}
	if err := v.heal(); err != nil {
		return false, err
	}
	if err := v.load(keys, used); err != nil {
		return false, err
	}
	v.repair(used)
	return true, nil
}

// tryCopies opens the first header that opens. Only where the copies differ is
// there more than one to try; damage in any of them outweighs a wrong secret.
func tryCopies(copies []copyOf, try Opening) (*seal.Keys, copyOf, error) {
	var first error
	for _, c := range copies {
		keys, err := try(c.h)
		if err == nil {
			return keys, c, nil
		}
		if first == nil || fault.CodeOf(err) == fault.Damaged {
			first = err
		}
	}
	return nil, copyOf{}, first
}

// heal replaces a data file handle whose commit failed; mu is held.
func (v *Vault) heal() error {
	if v.poison == nil {
		return nil
	}
	v.forget()
	_ = v.db.Close()
	db, report, err := openChecked(filepath.Join(v.dir, dataName))
	if err != nil {
		return err
	}
	v.db, v.flight, v.poison = db, report, nil
	return nil
}

// proveAtOnce is how many sealed values are proved before an unlock returns.
// Of more than that, Prove does it while the person looks at the first list.
const proveAtOnce = 200_000

// load reads the state and proves that the data is what the state says.
func (v *Vault) load(keys *seal.Keys, used copyOf) error {
	s, trail, err := catchUp(v.dir, v.db, keys)
	if err != nil {
		return err
	}
	err = contained(func() error {
		return v.db.View(func(bt *bbolt.Tx) (err error) {
			if used.h.Generation < s.HeaderGeneration {
				return errHeaderOld()
			}
			if err := openEpochs(bt, keys, s); err != nil {
				return err
			}
			if s.values() > v.proveAtOnce {
				return nil
			}
			return verify(bt, keys, s)
		})
	})
	if err != nil {
		trail.close()
		return err
	}
	v.keys, v.header, v.trail = keys, used.h, trail
	v.proved = s.values() <= v.proveAtOnce
	v.state.Store(s)
	return nil
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
	if v.isProved() {
		return nil
	}
	err = contained(func() error {
		return db.View(func(bt *bbolt.Tx) error {
			s, err := loadState(bt, keys)
			if err != nil {
				return err
			}
			return verify(bt, keys, s)
		})
	})
	v.mu.Lock()
	defer v.mu.Unlock()
	v.proved = err == nil
	if err != nil {
		v.poison = err
	}
	return err
}

func (v *Vault) isProved() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.proved
}

func openEpochs(bt *bbolt.Tx, keys *seal.Keys, s *state) error {
	for _, e := range s.Epochs {
		scope, err := keys.OpenEpoch(e.Version, bt.Bucket(systemBucket).Get(epochKey(e.Version)))
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
func (v *Vault) repair(used copyOf) {
	same := true
	for _, c := range v.copies {
		same = same && bytes.Equal(c.raw, used.raw)
	}
	if same {
		return
	}
	if writeHeader(v.dir, used.raw) != nil {
		return
	}
	err := v.db.Update(func(bt *bbolt.Tx) error { return bt.Bucket(systemBucket).Put(headerKey, used.raw) })
	if err != nil {
		v.poison = err
		return
	}
	for i := range v.copies {
		v.copies[i] = copyOf{where: v.copies[i].where, raw: used.raw, h: used.h}
	}
	v.repaired = true
}
