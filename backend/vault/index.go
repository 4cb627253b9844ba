package vault

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"sync"

	"go.etcd.io/bbolt"

	"keepsake/backend/atomicfile"
	"keepsake/backend/fault"
	"keepsake/backend/seal"
	"keepsake/backend/vault/vaultdir"
)

// Buckets of the index file. The salt stands in the clear.
var (
	saltBucket  = []byte{0}
	saltKey     = []byte{1}
	blockBucket = []byte{1}
)

const saltSize = 16

// Index is a sealed store of blocks beside the data file, for what is derived
// from it. Keys are stored as they are, so they must say nothing. It is open
// while the vault is unlocked.
type Index struct {
	v      *Vault
	db     *bbolt.DB
	blocks *seal.Blocks
	mapped mapping

	writing sync.Mutex // one Update or compaction at a time; taken before the vault's mu
}

// Index opens the index file of the unlocked vault, or makes it. One that
// cannot be used is made anew, empty: the caller fills it again.
func (v *Vault) Index() (*Index, error) {
	keys, _, err := v.enter()
	if err != nil {
		return nil, err
	}
	defer v.leave()
	v.indexing.Lock()
	defer v.indexing.Unlock()
	v.mu.Lock()
	kept := v.index
	v.mu.Unlock()
	if kept != nil {
		return kept, nil
	}
	x, err := v.openIndex(keys)
	if code := fault.CodeOf(err); code == fault.Damaged || errors.Is(err, fs.ErrNotExist) {
		x, err = v.makeIndex(keys)
	}
	if err != nil {
		return nil, err
	}
	v.mu.Lock()
	v.index = x
	v.mu.Unlock()
	return x, nil
}

func (v *Vault) openIndex(keys *seal.Keys) (*Index, error) {
	path := filepath.Join(v.dir, vaultdir.IndexName)
	if !vaultdir.Exists(v.dir, vaultdir.IndexName) {
		return nil, fmt.Errorf("open index: %w", fs.ErrNotExist)
	}
	db, _, err := openChecked(path, nil)
	if err != nil {
		return nil, err
	}
	x := &Index{v: v, db: db, mapped: mapping{while: &v.sparing}}
	err = view(db, func(bt *bbolt.Tx) error {
		b := bt.Bucket(saltBucket)
		if b == nil || bt.Bucket(blockBucket) == nil || len(b.Get(saltKey)) != saltSize {
			return errDataDamaged(errors.New("open index: not as written"))
		}
		x.blocks, err = keys.Blocks(b.Get(saltKey))
		return err
	})
	if err != nil {
		_ = db.Close()
		return nil, err
	}
	return x, nil
}

// makeIndex makes an empty index file in the place of any other.
func (v *Vault) makeIndex(keys *seal.Keys) (*Index, error) {
	path := filepath.Join(v.dir, vaultdir.IndexName)
	if err := atomicfile.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, vaultdir.ErrFolder(v.dir, err)
	}
	db, err := openData(path, true)
	if err != nil {
		return nil, err
	}
	var salt [saltSize]byte
	_, _ = rand.Read(salt[:]) // never fails
	err = db.Update(func(bt *bbolt.Tx) error {
		b, err := bt.CreateBucket(saltBucket)
		if err == nil {
			err = b.Put(saltKey, salt[:])
		}
		if err == nil {
			_, err = bt.CreateBucket(blockBucket)
		}
		return err
	})
	blocks, keyed := keys.Blocks(salt[:])
	if err := errors.Join(err, keyed); err != nil {
		_ = db.Close()
		_ = os.Remove(path)
		return nil, writingIndex(fmt.Errorf("make index: %w", err))
	}
	return &Index{v: v, db: db, blocks: blocks, mapped: mapping{while: &v.sparing}}, nil
}

// closeIndex lets go of the index file; nobody uses it any more.
func (v *Vault) closeIndex() {
	if v.index != nil {
		_ = v.index.db.Close()
		v.index = nil
	}
}

// View runs fn on the newest commit of the index.
func (x *Index) View(fn func(*IndexTx) error) error {
	return x.run(false, fn)
}

// Update runs fn and commits what it did, flushed to the disk when it returns.
// An error of fn undoes everything.
func (x *Index) Update(fn func(*IndexTx) error) error {
	return x.run(true, fn)
}

func (x *Index) run(writable bool, fn func(*IndexTx) error) error {
	if writable {
		x.writing.Lock()
		defer x.writing.Unlock()
	}
	if _, _, err := x.v.enter(); err != nil {
		return err
	}
	defer x.v.leave()
	return sheltered(func() error {
		bt, err := x.db.Begin(writable)
		if err != nil {
			return fmt.Errorf("begin: %w", err)
		}
		defer func() { _ = bt.Rollback() }()
		b := bt.Bucket(blockBucket)
		if b == nil {
			return errDataDamaged(errors.New("open index: no blocks"))
		}
		b.FillPercent = fill
		if err := fn(&IndexTx{b, x.blocks, &x.mapped}); err != nil || !writable {
			return err
		}
		if err := bt.Commit(); err != nil {
			return writingIndex(fmt.Errorf("commit index: %w", err))
		}
		return nil
	})
}

// IndexTx is one transaction on the index. It dies with the function it was
// given to.
type IndexTx struct {
	b      *bbolt.Bucket
	blocks *seal.Blocks
	mapped *mapping
}

// Get returns the block under key, the caller's own; nil when there is none.
func (tx *IndexTx) Get(key []byte) ([]byte, error) {
	value := tx.b.Get(key)
	if value == nil {
		return nil, nil
	}
	tx.mapped.read(tx.b.Tx(), max(len(value), faultBytes))
	plain, err := tx.blocks.Open(key, value)
	if plain == nil && err == nil {
		plain = []byte{}
	}
	return plain, err
}

// Put seals a block under key.
func (tx *IndexTx) Put(key, block []byte) error {
	if err := tx.b.Put(key, tx.blocks.Seal(key, block)); err != nil {
		return writingIndex(fmt.Errorf("store block: %w", err))
	}
	return nil
}

// Delete removes a block; where there is none it does nothing.
func (tx *IndexTx) Delete(key []byte) error { return writingIndex(tx.b.Delete(key)) }

// Keys yields copies of the keys with a prefix, in order. Blocks may be put and
// deleted meanwhile.
func (tx *IndexTx) Keys(prefix []byte) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		c := tx.b.Cursor()
		for k, _ := c.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); {
			own := bytes.Clone(k)
			if !yield(own, nil) {
				return
			}
			k, _ = c.Seek(append(own, 0))
		}
	}
}
