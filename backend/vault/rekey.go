package vault

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"go.etcd.io/bbolt"

	"keepsake/backend/atomicfile"
	"keepsake/backend/seal"
	"keepsake/backend/vault/journal"
	"keepsake/backend/vault/vaultdir"
)

// RekeyOptions are what a vault gets its new keys from.
type RekeyOptions struct {
	Proof        []byte // the present passphrase
	Passphrase   []byte // from now on; may be the same
	RecoveryCode string // from now on; of seal.NewRecoveryCode
	KDF          seal.KDF
	Tell         func(done, total int) // sealed values; may be nil
}

// What a re-key leaves to be cleared away (the state's member "rekey").
const (
	rekeyBegun = "begun" // new files may lie beside the old ones, which count
	rekeyDone  = "done"  // old files may lie beside the new ones, which count
)

// Rekey gives the vault a new master key after the old one may have leaked, and
// everything that hangs from it: all slots, a data key, every sealed value,
// every name and attachment. A slot of a keychain goes. The new data file is
// written beside the old one, verified, and takes its name: killed at any
// moment, the old secrets open the old vault or the new ones the new. It needs
// as much room again as the vault takes. Afterwards the vault is locked.
func (v *Vault) Rekey(ctx context.Context, o RekeyOptions) error {
	if err := seal.CheckPassphrase(o.Passphrase); err != nil {
		return err
	}
	v.opening.Lock()
	defer v.opening.Unlock()
	h, keys, leave, err := v.headed()
	if err != nil {
		return err
	}
	r := &rekey{v: v, keys: keys, o: o}
	if err = errFrozen(); h.FrozenAt == "" {
		err = r.prepare(ctx, h)
	}
	leave()
	if err == nil {
		err = r.swap()
	}
	if r.next != nil {
		r.next.Wipe()
	}
	v.mu.Lock()
	v.rekeying = false
	v.mu.Unlock()
	if err != nil {
		_ = os.Remove(r.temp())
		v.clearRemains()
	}
	return err
}

// MayRekey reports what a Rekey would be refused for whatever its secrets, so
// that nobody is asked for new ones or shown them in vain.
func (v *Vault) MayRekey() error {
	if v.Frozen() {
		return errFrozen()
	}
	return v.usable()
}

// rekey is one under way.
type rekey struct {
	v      *Vault
	keys   *seal.Keys // old
	o      RekeyOptions
	header *seal.Header // new, as next
	next   *seal.Keys
	refs   map[string]string // of blobs: old to new
	old    *state
	st     *state // new
	done   int
}

func (r *rekey) temp() string { return filepath.Join(r.v.dir, atomicfile.TempPrefix+vaultdir.DataName) }

// prepare writes and verifies the new files beside the old ones.
func (r *rekey) prepare(ctx context.Context, h *seal.Header) error {
	proof := seal.PassphraseSecret(r.o.Proof)
	defer proof.Clear()
	proved, err := h.Open(ctx, proof)
	if err != nil {
		return err
	}
	proved.Wipe()
	if err := r.quiet(); err != nil {
		return err
	}
	r.header, r.next, err = h.Rekey(seal.HeaderOptions{
		Cipher: h.Cipher, KDF: r.o.KDF, Passphrase: r.o.Passphrase, RecoveryCode: r.o.RecoveryCode, Now: r.v.now(),
	})
	if err != nil {
		return err
	}
	if err := r.write(ctx); err != nil {
		return cmp.Or(ctx.Err(), vaultdir.ErrWriting(err))
	}
	return r.verify(ctx)
}

// quiet notes that files will lie about, and lets nobody write from then on.
func (r *rekey) quiet() error {
	err := r.v.Update(func(tx *Tx) error {
		tx.st.Rekey, tx.changed = rekeyBegun, true
		return tx.audit(auditEntry{"rekey-begun", ""})
	})
	if err != nil {
		return err
	}
	r.v.mu.Lock()
	r.v.rekeying = true
	r.v.mu.Unlock()
	if err := r.v.Checkpoint(); err != nil { // once whoever was quicker has ended
		return err
	}
	r.v.blobbing.Lock()
	defer r.v.blobbing.Unlock()
	r.v.mu.Lock()
	defer r.v.mu.Unlock()
	if len(r.v.staged) > 0 {
		return errBlobsUnderWay()
	}
	r.old = r.v.state.Load()
	return nil
}

// write makes the new blobs and the new data file.
func (r *rekey) write(ctx context.Context) error {
	version := r.newest() + 1
	wrapped, err := r.next.NewEpoch(version, uint16(allCollections))
	if err != nil {
		return err
	}
	if err := r.blobs(ctx, version); err != nil {
		return err
	}
	_ = os.Remove(r.temp())
	db, err := openData(r.temp(), true)
	if err != nil {
		return err
	}
	db.NoSync = true // flushed once, at the end
	err = r.fill(ctx, db, version, wrapped)
	if err == nil {
		err = db.Sync()
	}
	return errors.Join(err, db.Close())
}

func (r *rekey) newest() (version uint32) {
	for _, e := range r.old.Epochs {
		version = max(version, e.Version)
	}
	return version
}

// blobs seals every attachment again, under the name that the new key gives it.
// A damaged one stays behind: nothing could be read of it.
func (r *rekey) blobs(ctx context.Context, version uint32) error {
	refs, err := r.v.Blobs()
	if err != nil {
		return err
	}
	r.refs = map[string]string{}
	for _, ref := range refs {
		to, err := r.v.sealAgain(ctx, r.keys, ref, r.next, version)
		if isDamagedBlob(err) {
			continue
		}
		if err != nil {
			return err
		}
		r.refs[ref] = to
	}
	return atomicfile.SyncDir(filepath.Join(r.v.dir, vaultdir.BlobsName))
}

// fill builds the data file: system bucket, values, and the state last.
func (r *rekey) fill(ctx context.Context, db *bbolt.DB, version uint32, wrapped []byte) error {
	r.st = r.old.clone()
	r.st.Generation++
	r.st.ChangedAt = r.v.now().UnixMilli()
	r.st.HeaderGeneration = r.header.Generation
	r.st.Rotating, r.st.Rekey, r.st.RekeyedAt = 0, rekeyDone, r.st.Generation
	r.st.Epochs = []epoch{{Version: version}}
	r.st.Collections = map[Collection]*tally{}
	err := db.Update(func(bt *bbolt.Tx) error {
		b, err := bt.CreateBucket(systemBucket)
		if err != nil {
			return err
		}
		return errors.Join(b.Put(headerKey, r.header.Bytes()), b.Put(epochKey(version), wrapped))
	})
	if err != nil {
		return fmt.Errorf("begin new data file: %w", err)
	}
	for _, c := range r.old.known() {
		for _, s := range c.sealedShelves() {
			if err := r.shelf(ctx, db, s, version); err != nil {
				return err
			}
		}
		r.st.tally(c).Next = r.old.Collections[c].Next
	}
	return db.Update(func(bt *bbolt.Tx) error {
		system, err := r.tx(bt).system()
		if err != nil {
			return err
		}
		return r.st.save(system, r.next)
	})
}

// shelf copies one bucket of sealed values, many to a transaction.
func (r *rekey) shelf(ctx context.Context, db *bbolt.DB, s shelf, version uint32) error {
	return view(r.v.db, func(from *bbolt.Tx) error {
		b := from.Bucket(bucketName(r.keys.Sealer(), s))
		if b == nil {
			return nil
		}
		opener := r.keys.Sealer()
		c := b.Cursor()
		for k, value := c.First(); k != nil; {
			if err := ctx.Err(); err != nil {
				return err
			}
			err := db.Update(func(bt *bbolt.Tx) error {
				tx := r.tx(bt)
				for n := 0; k != nil && n < fullBatch; n++ {
					if err := r.value(opener, tx, s, stored{k, value}, version); err != nil {
						return err
					}
					k, value = c.Next()
				}
				return nil
			})
			if err != nil {
				return err
			}
			if r.o.Tell != nil {
				r.o.Tell(r.done, r.old.values())
			}
		}
		return nil
	})
}

// tx writes the new data file; nothing of it goes into a journal.
func (r *rekey) tx(bt *bbolt.Tx) *Tx {
	tx := r.v.newTx(bt, r.next, r.next.Sealer())
	tx.st, tx.digests, tx.writes = r.st, r.next.Manifest(), true
	return tx
}

// value opens a value with the old keys and seals it with the new ones, at the
// place that they give it.
func (r *rekey) value(opener *seal.Sealer, tx *Tx, s shelf, it stored, version uint32) error {
	seq, err := seqOf(s, it.key)
	if err != nil {
		return err
	}
	rec, id, plain, err := opener.Open(uint16(s.c), seq, it.value)
	if err != nil {
		return err
	}
	id = string(r.renamed([]byte(id)))
	if s.kind == recordKind && (s.c == Chunks || s.c == Conversations) {
		plain, err = r.unpacked(plain)
	} else {
		plain = r.renamed(plain)
	}
	if err != nil {
		return err
	}
	p := place{s, bytes.Clone(it.key), seq}
	switch {
	case s.kind == linkKind:
		rec.Locator = tx.sealer.Locate('l', uint16(s.c), id)
		p.key = rec.Locator[:]
	case s.c != Chunks:
		rec.Locator = tx.sealer.Locate('r', uint16(s.c), id)
		index := tx.bucket(shelf{s.c, indexKind}, true)
		if err := index.Put(rec.Locator[:], p.key); err != nil {
			return err
		}
	}
	rec.KeyVersion = version
	value, err := tx.sealer.Seal(rec, id, plain)
	if err != nil {
		return err
	}
	b := tx.bucket(s, true)
	r.done++
	return tx.place(b, p, rec, value)
}

// unpacked renames the attachments in a packed head or packed messages. Where
// none is named the bytes stay as they are.
func (r *rekey) unpacked(packed []byte) ([]byte, error) {
	if len(r.refs) == 0 {
		return packed, nil
	}
	text, err := r.v.unz.DecodeAll(packed, nil)
	if err != nil {
		return nil, errDataDamaged(fmt.Errorf("unpack conversation: %w", err))
	}
	renamed := r.renamed(text)
	if &renamed[0] == &text[0] {
		return packed, nil
	}
	return r.v.zip.EncodeAll(renamed, nil), nil
}

// renamed is text with every reference of a blob, wherever it stands, replaced
// by its new one; text itself where there is none. A reference is 256 bits of a
// keyed hash, so nothing else looks like one of ours.
func (r *rekey) renamed(text []byte) []byte {
	if len(r.refs) == 0 {
		return text
	}
	var out []byte
	run := 0
	for i, c := range text {
		if !vaultdir.IsRefDigit(c) {
			run = 0
			continue
		}
		if run++; run < vaultdir.BlobRefSize {
			continue
		}
		at := i + 1 - vaultdir.BlobRefSize
		if to, known := r.refs[string(text[at:i+1])]; known {
			if out == nil {
				out = bytes.Clone(text)
			}
			copy(out[at:], to)
		}
	}
	if out == nil {
		return text
	}
	return out
}

// Cut cuts at most that many bytes, of which there must be more than a reference
// has, from the beginning of text, but never inside the reference of a blob: a
// re-key looks for references in one stored value at a time.
func Cut(text []byte, most int) (piece, rest []byte) {
	if len(text) <= most {
		return text, nil
	}
	at := most
	for at > most-vaultdir.BlobRefSize && vaultdir.IsRefDigit(text[at-1]) && vaultdir.IsRefDigit(text[at]) {
		at--
	}
	return text[:at], text[at:]
}

// verify opens the new files as an unlock will, with the new passphrase, and
// reads every value.
func (r *rekey) verify(ctx context.Context) error {
	db, err := openCopy(r.temp())
	if err != nil {
		return err
	}
	c, err := storedCopy(db)
	_ = db.Close()
	if err := cmp.Or(err, c.err); err != nil {
		return err
	}
	keys, err := c.h.Unlock(ctx, r.o.Passphrase)
	if err != nil {
		return err
	}
	defer keys.Wipe()
	if err := checkCopy(ctx, r.temp(), keys, r.st.Generation); err != nil {
		return err
	}
	return r.complete()
}

// complete compares what was written with what there was.
func (r *rekey) complete() error {
	s := r.st // as checked in the file
	if !slices.Equal(s.known(), r.old.known()) || s.Messages != r.old.Messages {
		return errDataDamaged(errors.New("verify new data file: collections or messages differ"))
	}
	for c, is := range s.Collections {
		if was := r.old.Collections[c]; is.Records != was.Records || is.Links != was.Links || is.Next != was.Next {
			return errDataDamaged(fmt.Errorf("verify new data file: collection %d differs", c))
		}
	}
	for _, ref := range slices.Sorted(maps.Values(r.refs)) {
		if !r.v.whole(r.next, ref) {
			return errDataDamaged(errors.New("verify new data file: an attachment cannot be read"))
		}
	}
	return nil
}

// swap gives the new data file its name: that is the moment of truth. The
// header files follow; the copy in the data file opens the vault without them.
func (r *rekey) swap() error {
	v := r.v
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.closed {
		return errClosed()
	}
	v.forget()
	_ = v.db.Close()
	v.step("name vault.db")
	err := atomicfile.Rename(r.temp(), filepath.Join(v.dir, vaultdir.DataName))
	if err == nil {
		err = atomicfile.SyncDir(v.dir)
	}
	if err == nil {
		_ = writeHeader(v.dir, r.header.Bytes(), v.step) // the next unlock repairs what is missing
		_ = os.Remove(filepath.Join(v.dir, vaultdir.IndexName))
	}
	v.poison = errors.Join(err, v.reread()) // the next unlock tries once more
	err = v.poison
	return vaultdir.ErrWriting(err)
}

// clearRemains removes what a re-key left behind: after a finished one all that
// was sealed with the old keys, after one that was stopped the new attachments.
// What cannot be removed is tried again at the next unlock.
func (v *Vault) clearRemains() {
	s := v.state.Load()
	if s == nil || s.Rekey == "" || s.Rekey == rekeyDone && v.clearCopies(s.RekeyedAt) != nil {
		return
	}
	refs, err := v.Blobs()
	if err != nil {
		return
	}
	for _, ref := range refs {
		if !v.foreign(s, ref) {
			continue
		}
		v.step("remove blob")
		if v.DeleteBlob(ref) != nil {
			return
		}
	}
	_ = v.Update(func(tx *Tx) error {
		tx.st.Rekey, tx.changed = "", true
		return tx.audit(auditEntry{"rekey-cleared", s.Rekey})
	})
}

// clearCopies removes snapshots, journals and damaged data files of before a
// generation. vault.gen is written over with the next commit.
func (v *Vault) clearCopies(before uint64) error {
	made, err := snapshots(v.dir)
	if err != nil {
		return err
	}
	files, err := journal.Files(v.dir)
	if err != nil {
		return err
	}
	gone, err := vaultdir.WithPrefix(v.dir, vaultdir.DamagedPrefix)
	for _, s := range made {
		if s.Generation < before {
			gone = append(gone, s.dir)
		}
	}
	for _, jf := range files {
		if jf.Base < before {
			gone = append(gone, jf.Path)
		}
	}
	for _, path := range gone {
		v.step("remove " + filepath.Base(filepath.Dir(path)))
		err = errors.Join(err, vaultdir.RemoveAll(path))
	}
	return errors.Join(err, flushCopies(v.dir))
}

// foreign reports whether a blob is sealed under a key version that this vault
// does not have: that of before a re-key, or of one that was stopped.
func (v *Vault) foreign(s *state, ref string) bool {
	version, err := v.blobVersion(ref)
	return err == nil && !slices.ContainsFunc(s.Epochs, func(e epoch) bool { return e.Version == version })
}
