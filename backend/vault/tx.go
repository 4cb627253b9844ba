package vault

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"keepsake/backend/seal"
	"keepsake/backend/vault/journal"
	"keepsake/backend/vault/vaultdir"
)

// fill leaves no room in pages of buckets that only grow at their end.
const fill = 1.0

// Tx is one transaction: a consistent view of the vault, or a set of changes that happens whole
// or not at all. It is for one goroutine and dies with the function it was given to.
type Tx struct {
	v       *Vault
	db      *bbolt.DB
	bt      *bbolt.Tx      // of the data file; only reads, but in an Update that goes there directly
	mapped  *mapping       // of the data file; nil where a look is a short one
	over    *journal.Layer // what lies over the data file; nil for nothing
	draft   *journal.Draft // over, where an Update writes to it
	redo    *journal.Redo  // what an Update writes to the journal; nil in a View and where it goes to the data file directly
	writes  bool           // it is an Update
	keys    *seal.Keys
	sealer  *seal.Sealer
	digests *seal.Manifest
	st      *state // the working copy of an Update; of a View, loaded when asked for
	buckets map[shelf]*box
	pages   map[pageAt]*rowPage   // of rows, as far as this transaction met them
	met     map[shelf]seal.Record // what stands in the place that an Update opened last, of each shelf
	lines   []byte                // scratch space for chunks
	packed  []byte
	changed bool
	content bool   // something else than the log changed
	gone    Traces // of values taken out, while tracing
	tracing bool
	frozen  bool  // only the log may be written
	failed  error // the first error of a method that returns none
}

// note keeps an error for the end of the transaction.
func (tx *Tx) note(err error) {
	if tx.failed == nil {
		tx.failed = err
	}
}

func (v *Vault) newTx(bt *bbolt.Tx, keys *seal.Keys, sealer *seal.Sealer) *Tx {
	return &Tx{v: v, mapped: &v.mapped, bt: bt, keys: keys, sealer: sealer, buckets: map[shelf]*box{}}
}

// desk is what each Update leaves to the next: memory, and what the keys give; a lock clears it.
type desk struct {
	keys    *seal.Keys
	sealer  *seal.Sealer
	digests *seal.Manifest
	redo    journal.Redo
	page    []byte // of rows
}

func (d *desk) lay(keys *seal.Keys) {
	if d.keys != keys {
		d.keys, d.sealer, d.digests = keys, keys.Sealer(), keys.Manifest()
	}
}

// View runs fn on the newest commit. Never nest it, nor call Lock inside.
func (v *Vault) View(fn func(*Tx) error) error {
	keys, db, err := v.enter()
	if err != nil {
		return err
	}
	defer v.leave()
	return sheltered(func() error {
		tx, err := v.beginView(keys, db)
		if err != nil {
			return err
		}
		defer func() { _ = tx.bt.Rollback() }()
		if err := fn(tx); err != nil {
			return err
		}
		return tx.failed
	})
}

func (v *Vault) beginView(keys *seal.Keys, db *bbolt.DB) (*Tx, error) {
	bt, over, err := v.present(db)
	if err != nil {
		return nil, fmt.Errorf("begin view: %w", err)
	}
	tx := v.newTx(bt, keys, keys.Sealer())
	tx.over = over
	return tx, nil
}

// ViewPair is View with two transactions, for two goroutines. One View inside of another could wait
// for ever: mapping the file anew waits for all that have begun, and who begins waits for it.
func (v *Vault) ViewPair(fn func(one, other *Tx) error) error {
	keys, db, err := v.enter()
	if err != nil {
		return err
	}
	defer v.leave()
	return sheltered(func() error {
		one, other, err := v.beginPair(keys, db)
		if err != nil {
			return err
		}
		defer func() { // both at once: one end waits for who begins, who waits for the file to be mapped anew, which waits for the other end
			ended := make(chan error)
			go func() { ended <- other.bt.Rollback() }()
			_, _ = one.bt.Rollback(), <-ended
		}()
		return errors.Join(fn(one, other), one.failed, other.failed)
	})
}

// pairWithin is how long the second transaction of a pair may take to begin before the first
// makes way.
const pairWithin = 10 * time.Millisecond

// beginPair begins two transactions, and holds neither while it waits for the other.
func (v *Vault) beginPair(keys *seal.Keys, db *bbolt.DB) (one, other *Tx, err error) {
	if one, err = v.beginView(keys, db); err != nil {
		return nil, nil, err
	}
	for {
		begun := make(chan error, 1)
		go func() {
			begun <- sheltered(func() (err error) {
				other, err = v.beginView(keys, db)
				return err
			})
		}()
		select {
		case err = <-begun:
			if err != nil {
				_ = one.bt.Rollback()
			}
			return one, other, err
		case <-time.After(pairWithin):
		}
		_ = one.bt.Rollback()
		if err = <-begun; err != nil {
			return nil, nil, err
		}
		one = other
	}
}

// Update runs fn and commits what it did in one transaction, flushed to the disk when it returns:
// to the journal, and later to the data file (layer.go), or to that at once where the journal does
// not take it. An error of fn undoes everything; an fn that changes nothing writes nothing. After
// a failed commit of the data file, which may have reached the disk or not, the vault refuses
// further use until it is unlocked anew.
func (v *Vault) Update(fn func(*Tx) error) error {
	v.writing.Lock() // before enter: who waits for it keeps nobody waiting
	defer v.writing.Unlock()
	keys, db, err := v.enter()
	if err != nil {
		return err
	}
	defer v.leave()
	committed := false
	defer func() {
		if !committed { // what it derived may be of a key that was not kept
			v.desk.keys = nil
		}
	}()
	return sheltered(func() error {
		v.desk.lay(keys)
		tx := v.newTx(nil, keys, v.desk.sealer)
		tx.db, tx.writes = db, true
		defer tx.end()
		if err := tx.begin(); err != nil {
			return err
		}
		tx.st, tx.digests, tx.frozen = v.state.Load().clone(), v.desk.digests, v.Frozen()
		paid, err := tx.payLog()
		if err != nil {
			return err
		}
		if err := fn(tx); err != nil {
			return err
		}
		if tx.failed != nil || !tx.changed {
			return tx.failed
		}
		if err := v.commit(tx); err != nil {
			return err
		}
		v.paid(paid)
		committed = true
		return nil
	})
}

// begin lets an Update write to the journal, or where there is none to the data
// file.
func (tx *Tx) begin() error {
	if err := tx.v.usable(); err != nil {
		return err
	}
	if !tx.v.journals() {
		return tx.direct()
	}
	bt, err := tx.db.Begin(false)
	if err != nil {
		return fmt.Errorf("begin update: %w", err)
	}
	tx.v.desk.redo.Ops = tx.v.desk.redo.Ops[:0]
	tx.bt, tx.redo, tx.draft = bt, &tx.v.desk.redo, journal.NewDraft(tx.v.over.Load())
	tx.over = &tx.draft.Layer
	return nil
}

// Direct lets an Update go to the data file at once: for one of many that together are
// more than the journal is for.
func (tx *Tx) Direct() error {
	if tx.redo == nil {
		return nil
	}
	return tx.direct()
}

// direct goes on in the data file itself, with what was written so far.
func (tx *Tx) direct() error {
	tx.end() // who reads keeps the file from growing
	if err := tx.v.checkpoint(tx.db); err != nil {
		return err
	}
	bt, err := tx.db.Begin(true)
	if err != nil {
		return fmt.Errorf("begin update: %w", err)
	}
	tx.bt = bt
	if tx.redo != nil {
		if err := journal.Replay(bt, tx.redo.Ops); err != nil {
			return vaultdir.ErrWriting(err)
		}
		tx.redo.Ops = nil // bbolt keeps it until the commit
	}
	tx.redo, tx.draft, tx.over = nil, nil, nil
	for _, b := range tx.buckets {
		b.find()
	}
	return nil
}

// end gives up what was not committed.
func (tx *Tx) end() {
	if tx.bt != nil {
		_ = tx.bt.Rollback()
	}
}

// Trace makes the transaction remember the ends of the values that it takes out,
// for Erase.
func (tx *Tx) Trace() { tx.tracing = true }

// Traces are what Trace has remembered.
func (tx *Tx) Traces() Traces { return tx.gone }

// usable reports whether something may be written. It is asked once the write
// lock is held: the update before may have failed.
func (v *Vault) usable() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case v.poison != nil:
		return errPoisoned(v.poison)
	case v.rekeying:
		return errRekeying()
	case v.cramped:
		return errCramped()
	}
	return nil
}

func (v *Vault) commit(tx *Tx) error {
	if err := tx.savePages(); err != nil {
		return err
	}
	tx.st.Generation++
	if tx.content {
		tx.st.ChangedAt = v.now().UnixMilli()
	}
	system, err := tx.system()
	if err != nil {
		return err
	}
	if err := tx.st.save(system, tx.keys); err != nil {
		return vaultdir.ErrWriting(err)
	}
	digest := sha256.Sum256(system.Get(stateKey))
	v.step("commit")
	journalled := tx.redo != nil
	if journalled {
		err = v.journal(tx)
	} else {
		err = v.commitDirect(tx)
	}
	if err != nil {
		return err
	}
	v.state.Store(tx.st)
	return v.confirm(tx, digest, journalled)
}

// journal writes the transaction to the journal and lays it over the data file.
func (v *Vault) journal(tx *Tx) error {
	v.mu.Lock()
	j := v.trail.journal
	v.mu.Unlock()
	err := j.Append(tx.st.Generation, tx.redo.Ops)
	if errors.Is(err, journal.ErrUncertain) {
		return v.poisoned(err)
	}
	if err != nil {
		return vaultdir.ErrWriting(err)
	}
	tx.draft.Size += len(tx.redo.Ops)
	v.over.Store(&tx.draft.Layer)
	v.checkpointSoon(tx.draft.Size)
	return nil
}

// commitDirect commits to the data file. The journal goes no further: the next
// snapshot begins another.
func (v *Vault) commitDirect(tx *Tx) error {
	v.mu.Lock()
	v.trail.journal.Close()
	v.trail.journal = nil
	v.mu.Unlock()
	tx.mapped.done(tx.bt) // the commit maps once more what it rewrites
	if err := tx.bt.Commit(); err != nil {
		return v.poisoned(fmt.Errorf("commit: %w", err))
	}
	v.over.Store(&journal.Layer{Checkpoints: v.over.Load().Checkpoints + 1}) // as before nothing, but present must notice
	return nil
}

// confirm says in vault.gen that the commit is there. What the journal has need
// not be flushed once more.
func (v *Vault) confirm(tx *Tx, digest [32]byte, journalled bool) error {
	err := v.trail.mark.Write(tx.keys, tx.st.Generation, digest)
	if err == nil && !journalled {
		err = v.trail.mark.Flush()
	}
	if err != nil {
		return v.poisoned(err)
	}
	return nil
}

// poisoned ends the use of this handle: the commit may or may not be on the
// disk.
func (v *Vault) poisoned(err error) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.poison = err
	return vaultdir.ErrWriting(err)
}

// system is the bucket of what stands outside the collections.
func (tx *Tx) system() (*box, error) {
	if b := tx.buckets[shelf{}]; b != nil {
		return b, nil
	}
	b := &box{tx: tx, name: systemBucket}
	if b.find(); b.file == nil {
		return nil, errDataDamaged(errors.New("open system bucket: it is missing"))
	}
	tx.buckets[shelf{}] = b
	return b, nil
}

// state is the state record that belongs to this transaction.
func (tx *Tx) state() (*state, error) {
	if tx.st == nil {
		system, err := tx.system()
		if err != nil {
			return nil, err
		}
		if tx.st, err = readState(system.Get(stateKey), tx.keys); err != nil {
			return nil, err
		}
	}
	return tx.st, nil
}

// Generation is that of the vault as the transaction sees it, or, where it
// writes, as it will be once it is committed.
func (tx *Tx) Generation() uint64 {
	s, err := tx.state()
	if tx.note(err); err != nil {
		return 0
	}
	if tx.writes {
		return s.Generation + 1
	}
	return s.Generation
}

// bucket returns the bucket of a shelf; nil when there is none and it need not
// be made.
func (tx *Tx) bucket(s shelf, make bool) *box {
	if b := tx.buckets[s]; b != nil {
		return b
	}
	b := &box{tx: tx, name: bucketName(tx.sealer, s)}
	if s.kind == recordKind {
		b.fill = fill
	}
	if b.find(); b.file == nil && !make && !tx.over.Touches(b.name) {
		return nil
	}
	tx.buckets[s] = b
	return b
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
func (tx *Tx) store(p place, r seal.Record, id string, plain []byte) error {
	b := tx.bucket(p.shelf, true)
	r.KeyVersion = tx.st.version(p.shelf.c)
	value, err := tx.sealer.Seal(r, id, plain)
	if err != nil {
		return err
	}
	return tx.place(b, p, r, value)
}

// place puts a sealed value at its place and keeps the books.
func (tx *Tx) place(b *box, p place, r seal.Record, value []byte) error {
	if tx.frozenFor(p.shelf.c) {
		return errFrozen()
	}
	if err := tx.strike(p, b.Get(p.key)); err != nil {
		return err
	}
	if err := b.Put(p.key, value); err != nil {
		return vaultdir.ErrWriting(fmt.Errorf("store record: %w", err))
	}
	tx.book(p, r, value, 1)
	tx.meet(p.shelf, r)
	return nil
}

// meet remembers what stands in a place.
func (tx *Tx) meet(s shelf, r seal.Record) {
	if !tx.writes || s.kind != recordKind {
		return
	}
	if tx.met == nil {
		tx.met = map[shelf]seal.Record{}
	}
	tx.met[s] = r
}

// putSystem stores what stands outside the collections.
func (tx *Tx) putSystem(key, value []byte) error {
	tx.changed = true
	b, err := tx.system()
	if err != nil {
		return err
	}
	return vaultdir.ErrWriting(b.Put(key, value))
}

// deleteSystem removes what putSystem stored.
func (tx *Tx) deleteSystem(key []byte) error {
	tx.changed = true
	b, err := tx.system()
	if err != nil {
		return err
	}
	return vaultdir.ErrWriting(b.Delete(key))
}

// remove takes a stored value away.
func (tx *Tx) remove(p place) error {
	if tx.frozenFor(p.shelf.c) {
		return errFrozen()
	}
	b := tx.bucket(p.shelf, false)
	if b == nil {
		return nil
	}
	if err := tx.strike(p, b.Get(p.key)); err != nil {
		return err
	}
	delete(tx.met, p.shelf)
	return vaultdir.ErrWriting(b.Delete(p.key))
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
	if tx.tracing && len(old) >= 16 {
		tx.gone = append(tx.gone, [16]byte(old[len(old)-16:]))
	}
	tx.book(p, r, old, -1)
	return nil
}

// book adds (1) or takes off (-1) one value.
func (tx *Tx) book(p place, r seal.Record, value []byte, n int) {
	tx.changed = true
	tx.content = tx.content || p.shelf.c != Audit
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
