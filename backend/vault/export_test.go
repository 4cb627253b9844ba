package vault

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"testing"

	"go.etcd.io/bbolt"

	"keepsake/backend/memory"
	"keepsake/backend/vault/journal"
)

// SealedState is the state record, for tests that write a wrong one.
type SealedState = state

// ChangeState seals a changed state record, which needs the keys: what a
// mistake of ours would do.
func ChangeState(t *testing.T, v *Vault, change func(*SealedState)) {
	t.Helper()
	ChangeData(t, v, func(bt *bbolt.Tx) error {
		s := v.state.Load().clone()
		change(s)
		return s.save(bt.Bucket(systemBucket), v.keys)
	})
}

// ChangeData changes the data file behind the back of an open vault, once nothing
// lies over it.
func ChangeData(t *testing.T, v *Vault, fn func(bt *bbolt.Tx) error) {
	t.Helper()
	if err := errors.Join(v.Checkpoint(), v.db.Update(fn)); err != nil {
		t.Fatal(err)
	}
}

// BucketName tells the tests of attacks where to look.
func BucketName(v *Vault, c Collection, k byte) []byte {
	return bucketName(v.keys.Sealer(), shelf{c, kind(k)})
}

// ProveLater makes every unlock leave the proof of the whole set to Prove.
func ProveLater(v *Vault) { v.proveAtOnce = -1 }

// SystemBucket and the keys in it.
var (
	SystemBucket = systemBucket
	HeaderKey    = headerKey
	StateKey     = stateKey
	EpochKey     = epochKey
)

// RawValue is a stored value as it is in the data file.
func RawValue(t testing.TB, v *Vault, c Collection, id string) (value []byte) {
	t.Helper()
	err := v.View(func(tx *Tx) error {
		p, err := tx.find(c, id)
		if err != nil {
			return err
		}
		b := tx.bucket(p.shelf, false)
		value = append(value, b.Get(p.key)...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// ChangeAudit writes another entry in the place of one, sealed like any.
func ChangeAudit(tx *Tx, seq uint64, change func(*AuditEntry)) error {
	p, err := tx.find(Audit, auditID(seq))
	if err != nil {
		return err
	}
	o, err := tx.open(p, auditID(seq))
	if err != nil {
		return err
	}
	var e AuditEntry
	if err := json.Unmarshal(o.plain, &e); err != nil {
		return err
	}
	change(&e)
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	o.record.Revision++
	return tx.store(p, o.record, auditID(seq), text)
}

// AtEachStep calls fn before each write, rename or commit that lasts.
func AtEachStep(v *Vault, fn func(what string)) { v.step = fn }

// HasEpochKey reports whether a data key stands in the data file.
func HasEpochKey(v *Vault, version uint32) (there bool) {
	_ = v.Checkpoint()
	_ = v.db.View(func(bt *bbolt.Tx) error {
		there = bt.Bucket(systemBucket).Get(epochKey(version)) != nil
		return nil
	})
	return there
}

// KeyVersions are the key versions of all sealed values and blobs, as the files
// say.
func KeyVersions(t *testing.T, v *Vault) map[uint32]bool {
	t.Helper()
	if err := v.Checkpoint(); err != nil {
		t.Fatal(err)
	}
	out := map[uint32]bool{}
	err := v.View(func(tx *Tx) error {
		s, err := tx.state()
		if err != nil {
			return err
		}
		a := newAuditor(tx.bt, tx.keys, 1)
		for _, c := range s.known() {
			f, err := a.collection(c)
			if err != nil {
				return err
			}
			for version := range f.epochs {
				out[version] = true
			}
		}
		return nil
	})
	refs, listed := v.Blobs()
	if err := errors.Join(err, listed); err != nil {
		t.Fatal(err)
	}
	for _, ref := range refs {
		version, err := v.blobVersion(ref)
		if err != nil {
			t.Fatal(err)
		}
		out[version] = true
	}
	return out
}

// Holds says that an opening would take the look's word for the data file.
func (a *Ahead) Holds() bool {
	_, ok := a.verdict()
	return ok
}

// AppendFrame writes a frame of a generation behind those of the newest journal,
// sealed like any. The vault is only to be closed after it.
func AppendFrame(t *testing.T, v *Vault, generation uint64, ops []byte) {
	t.Helper()
	if err := v.trail.journal.Append(generation, ops); err != nil {
		t.Fatal(err)
	}
}

// StrayOps are what a journal would hold of a change that takes a record out of
// its bucket and leaves the books as they were.
func StrayOps(t *testing.T, v *Vault, c Collection, id string) []byte {
	t.Helper()
	r := &journal.Redo{}
	errStray := errors.New("rolled back")
	err := v.Update(func(tx *Tx) error {
		tx.redo, tx.buckets = r, map[shelf]*box{}
		p, err := tx.find(c, id)
		if err != nil {
			return err
		}
		b := tx.bucket(p.shelf, false)
		if err := b.Delete(p.key); err != nil {
			return err
		}
		tx.st.Generation++
		system, err := tx.system()
		if err != nil {
			return err
		}
		return errors.Join(tx.st.save(system, tx.keys), errStray)
	})
	if !errors.Is(err, errStray) || len(r.Ops) == 0 {
		t.Fatal(err)
	}
	return r.Ops
}

// BreakJournal lets every write to the journal fail until mend, as a disk does that
// reports errors before anything is written.
func BreakJournal(t *testing.T, v *Vault) (mend func()) {
	t.Helper()
	v.writing.Lock()
	defer v.writing.Unlock()
	j := v.trail.journal
	whole, room := j.File, j.Room
	closed, err := os.Open(whole.Name()) // which cannot be written to
	if err != nil {
		t.Fatal(err)
	}
	j.File, j.Room = closed, 0
	return func() {
		v.writing.Lock()
		defer v.writing.Unlock()
		_ = closed.Close()
		j.File, j.Room = whole, room
	}
}

// HoldsChunk reports that the next message of the same chunk needs no opening.
func HoldsChunk(t *Texts) bool { return t.chunk >= 0 }

// Conversation is the whole graph. The program reads it message by message.
func (tx *Tx) Conversation(id string) (*memory.Conversation, error) {
	h, err := tx.ConversationHead(id)
	if err != nil {
		return nil, err
	}
	c := h.Conversation
	c.Messages = make([]memory.Message, 0, h.MessageCount)
	for m, err := range tx.Messages(id) {
		if err != nil {
			return nil, err
		}
		c.Messages = append(c.Messages, m)
	}
	return &c, nil
}

// Grow opens the data file anew so that it is mapped anew whenever it grows, and has it grow
// in the background until stop is called.
func Grow(t *testing.T, v *Vault) (stop func()) {
	t.Helper()
	path := v.db.Path()
	if err := errors.Join(v.Checkpoint(), v.db.Close()); err != nil {
		t.Fatal(err)
	}
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{NoSync: true, NoGrowSync: true})
	if err != nil {
		t.Fatal(err)
	}
	v.db = db
	ended, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		for i := 0; ; i++ {
			select {
			case <-ended:
				return
			default:
			}
			if err := db.Update(func(bt *bbolt.Tx) error {
				b, err := bt.CreateBucketIfNotExists([]byte("growth"))
				if err != nil {
					return err
				}
				if i%64 == 63 { // begin again, so that the disk stays small
					return bt.DeleteBucket([]byte("growth"))
				}
				return b.Put([]byte{byte(i)}, make([]byte, 1<<20))
			}); err != nil {
				return
			}
		}
	}()
	return func() { close(ended); <-over }
}

// UnlockRecovery opens the vault with its recovery key, as people type it.
func (v *Vault) UnlockRecovery(ctx context.Context, code string) error {
	return v.UnlockBy(ByRecoveryCode(ctx, code))
}

// UnlockKeychain opens the vault with what the operating system keeps for it.
func (v *Vault) UnlockKeychain(ctx context.Context, key []byte) error {
	return v.UnlockBy(ByKeychain(ctx, key))
}

// PutBlob stages a blob and settles it.
func (v *Vault) PutBlob(r io.Reader) (ref string, size int64, added bool, err error) {
	ref, size, added, err = v.StageBlob(r)
	if err == nil && added {
		err = v.SettleBlobs([]string{ref})
	}
	return ref, size, added, err
}

// HasSlot reports whether the vault can be opened with a kind of secret.
func (v *Vault) HasSlot(kind string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	_, ok := v.header.Cost(kind)
	return ok
}
