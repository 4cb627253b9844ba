package vault

import (
	"encoding/binary"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"keepsake/backend/seal"
)

// fill leaves little room in pages of buckets that only grow at their end.
const fill = 0.95

// Tx is one transaction: a consistent view of the vault, or a set of changes
// that happens whole or not at all. It is for one goroutine and dies with the
// function it was given to.
type Tx struct {
	v       *Vault
	bt      *bbolt.Tx
	keys    *seal.Keys
	sealer  *seal.Sealer
	digests *seal.Manifest
	st      *state // the working copy of an Update; of a View, loaded when asked for
	buckets map[shelf]*bbolt.Bucket
	pages   map[pageAt]*rowPage // of rows, as far as this transaction met them
	lines   []byte              // scratch space for chunks
	packed  []byte
	changed bool
	failed  error // the first error of a method that returns none
}

// note keeps an error for the end of the transaction.
func (tx *Tx) note(err error) {
	if tx.failed == nil {
		tx.failed = err
	}
}

func (v *Vault) newTx(bt *bbolt.Tx, keys *seal.Keys) *Tx {
	return &Tx{v: v, bt: bt, keys: keys, sealer: keys.Sealer(), buckets: map[shelf]*bbolt.Bucket{}}
}

// View runs fn on the newest commit. Never nest it, nor call Lock inside.
func (v *Vault) View(fn func(*Tx) error) error {
	keys, db, err := v.enter()
	if err != nil {
		return err
	}
	defer v.leave()
	return sheltered(func() error {
		bt, err := db.Begin(false)
		if err != nil {
			return fmt.Errorf("begin view: %w", err)
		}
		defer func() { _ = bt.Rollback() }()
		tx := v.newTx(bt, keys)
		if err := fn(tx); err != nil {
			return err
		}
		return tx.failed
	})
}

// Update runs fn and commits what it did in one transaction, flushed to the
// disk when Update returns. An error of fn undoes everything; an fn that
// changes nothing writes nothing. After a failed commit the vault refuses
// further use until it is locked and unlocked, because the commit may or may
// not have reached the disk.
func (v *Vault) Update(fn func(*Tx) error) error {
	keys, db, err := v.enter()
	if err != nil {
		return err
	}
	defer v.leave()
	v.writing.Lock()
	defer v.writing.Unlock()
	return sheltered(func() error {
		bt, err := db.Begin(true)
		if err != nil {
			return fmt.Errorf("begin update: %w", err)
		}
		defer func() { _ = bt.Rollback() }()
		if err := v.usable(); err != nil {
			return err
		}
		tx := v.newTx(bt, keys)
		tx.st, tx.digests = v.state.Load().clone(), keys.Manifest()
		if err := fn(tx); err != nil {
			return err
		}
		if tx.failed != nil || !tx.changed {
			return tx.failed
		}
		return v.commit(tx)
	})
}

// usable looks again once the write lock is held: the update before may have
// failed.
func (v *Vault) usable() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.poison != nil {
		return errPoisoned(v.poison)
	}
	return nil
}

func (v *Vault) commit(tx *Tx) error {
	if err := tx.savePages(); err != nil {
		return err
	}
	tx.st.Generation++
	tx.st.ChangedAt = v.now().UnixMilli()
	if err := tx.st.save(tx.bt, tx.keys); err != nil {
		return writing(err)
	}
	v.step("commit")
	if err := tx.bt.Commit(); err != nil {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.poison = err
		return writing(fmt.Errorf("commit: %w", err))
	}
	v.state.Store(tx.st)
	return nil
}

// state is the state record that belongs to this transaction.
func (tx *Tx) state() (*state, error) {
	if tx.st == nil {
		s, err := loadState(tx.bt, tx.keys)
		if err != nil {
			return nil, err
		}
		tx.st = s
	}
	return tx.st, nil
}

// bucket returns the bucket of a shelf; nil when there is none and it need not
// be made.
func (tx *Tx) bucket(s shelf, make bool) (*bbolt.Bucket, error) {
	if b := tx.buckets[s]; b != nil {
		return b, nil
	}
	name := bucketName(tx.sealer, s)
	b := tx.bt.Bucket(name)
	if b == nil {
		if !make {
			return nil, nil
		}
		var err error
		if b, err = tx.bt.CreateBucket(name); err != nil {
			return nil, writing(fmt.Errorf("create bucket: %w", err))
		}
	}
	if s.kind == recordKind {
		b.FillPercent = fill
	}
	tx.buckets[s] = b
	return b, nil
}

func bucketName(s *seal.Sealer, sh shelf) []byte {
	l := s.Locate('b', uint16(sh.c), string(sh.kind))
	return l[:]
}

// place is where a stored value stands.
type place struct {
	shelf shelf
	key   []byte
	seq   uint64
}

func seqKey(seq uint64) []byte { return binary.BigEndian.AppendUint64(nil, seq) }

// store seals plain at its place, replacing what was there, and keeps the books.
func (tx *Tx) store(p place, r seal.Record, id string, plain []byte, pages bool) error {
	b, err := tx.bucket(p.shelf, true)
	if err != nil {
		return err
	}
	r.KeyVersion = tx.st.version(p.shelf.c)
	value, err := tx.sealer.Seal(r, id, plain, pages)
	if err != nil {
		return err
	}
	return tx.place(b, p, r, value)
}

// place puts a sealed value at its place and keeps the books.
func (tx *Tx) place(b *bbolt.Bucket, p place, r seal.Record, value []byte) error {
	if err := tx.strike(p, b.Get(p.key)); err != nil {
		return err
	}
	if err := b.Put(p.key, value); err != nil {
		return writing(fmt.Errorf("store record: %w", err))
	}
	tx.book(p, r, value, 1)
	return nil
}

// putSystem stores what stands outside the collections.
func (tx *Tx) putSystem(key, value []byte) error {
	tx.changed = true
	if err := tx.bt.Bucket(systemBucket).Put(key, value); err != nil {
		return writing(fmt.Errorf("store in system bucket: %w", err))
	}
	return nil
}

// deleteSystem removes what putSystem stored.
func (tx *Tx) deleteSystem(key []byte) error {
	tx.changed = true
	return writing(tx.bt.Bucket(systemBucket).Delete(key))
}

// remove takes a stored value away.
func (tx *Tx) remove(p place) error {
	b, err := tx.bucket(p.shelf, false)
	if err != nil || b == nil {
		return err
	}
	if err := tx.strike(p, b.Get(p.key)); err != nil {
		return err
	}
	return writing(b.Delete(p.key))
}

// strike takes an old value off the books.
func (tx *Tx) strike(p place, old []byte) error {
	if old == nil {
		return nil
	}
	r, err := seal.ParseRecord(uint16(p.shelf.c), p.seq, old)
	if err != nil {
		return err
	}
	tx.book(p, r, old, -1)
	return nil
}

// book adds (1) or takes off (-1) one value.
func (tx *Tx) book(p place, r seal.Record, value []byte, n int) {
	tx.changed = true
	t := tx.st.tally(p.shelf.c)
	if p.shelf.kind == linkKind {
		t.Links += n
	} else {
		t.Records += n
	}
	d := tx.digests.Digest(r, value)
	if n > 0 {
		t.Sum = t.Sum.Add(d)
	} else {
		t.Sum = t.Sum.Sub(d)
	}
	tx.st.count(r.KeyVersion, n)
}

// millis is a time as stored: ms since 1970, 0 for unknown.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func fromMillis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
