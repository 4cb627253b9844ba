package vault_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"

	"keepsake/backend/fault"
	"keepsake/backend/vault"
)

func index(t *testing.T, v *vault.Vault) *vault.Index {
	t.Helper()
	x, err := v.Index()
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func blocks(t *testing.T, x *vault.Index) map[string]string {
	t.Helper()
	got := map[string]string{}
	err := x.View(func(tx *vault.IndexTx) error {
		for k, err := range tx.Keys(nil) {
			if err != nil {
				return err
			}
			block, err := tx.Get(k)
			if err != nil {
				return err
			}
			got[string(k)] = string(block)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func fillIndex(t *testing.T, x *vault.Index) {
	t.Helper()
	err := x.Update(func(tx *vault.IndexTx) error {
		return errors.Join(tx.Put([]byte{1}, []byte("quick brown words")), tx.Put([]byte{2}, nil), tx.Put([]byte{3}, []byte("x")), tx.Delete([]byte{3}))
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestIndexKeepsBlocksSealed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	fillIndex(t, index(t, v))
	failed := errors.New("no")
	if err := index(t, v).Update(func(tx *vault.IndexTx) error { return errors.Join(tx.Put([]byte{4}, nil), failed) }); !errors.Is(err, failed) {
		t.Fatal(err)
	}
	v.Lock()
	if _, err := v.Index(); fault.CodeOf(err) != fault.Locked {
		t.Errorf("a locked vault gives its index: %v", err)
	}
	closeVault(t, v)
	file, err := os.ReadFile(filepath.Join(dir, "index.db"))
	if err != nil || bytes.Contains(file, []byte("brown")) {
		t.Errorf("readable on disk, or %v", err)
	}
	got := blocks(t, index(t, open(t, dir)))
	if len(got) != 2 || got["\x01"] != "quick brown words" || got["\x02"] != "" {
		t.Errorf("%q", got)
	}
}

// TestIndexStartsAnew: an index that cannot be used is empty, and the vault
// none the worse.
func TestIndexStartsAnew(t *testing.T) {
	for name, spoil := range map[string]func(path string) error{
		"missing": os.Remove,
		"cut":     func(path string) error { return os.Truncate(path, 5000) },
		"no file": func(path string) error { return os.WriteFile(path, bytes.Repeat([]byte("no"), 40_000), 0o600) },
		"no salt": func(path string) error {
			db, err := bbolt.Open(path, 0o600, nil)
			if err != nil {
				return err
			}
			defer db.Close()
			return db.Update(func(bt *bbolt.Tx) error { return bt.DeleteBucket([]byte{0}) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "vault")
			v, _ := create(t, dir)
			fillIndex(t, index(t, v))
			closeVault(t, v)
			if err := spoil(filepath.Join(dir, "index.db")); err != nil {
				t.Fatal(err)
			}
			x := index(t, open(t, dir))
			if got := blocks(t, x); len(got) != 0 {
				t.Errorf("%q", got)
			}
			fillIndex(t, x)
			if got := blocks(t, x); len(got) != 2 {
				t.Errorf("%q", got)
			}
		})
	}
}

// TestIndexOfAnotherVault: blocks are bound to their vault, their file and
// their key.
func TestIndexOfAnotherVault(t *testing.T) {
	one, other := filepath.Join(t.TempDir(), "vault"), filepath.Join(t.TempDir(), "vault")
	for _, dir := range []string{one, other} {
		v, _ := create(t, dir)
		fillIndex(t, index(t, v))
		closeVault(t, v)
	}
	if err := os.Rename(filepath.Join(one, "index.db"), filepath.Join(other, "index.db")); err != nil {
		t.Fatal(err)
	}
	v := open(t, other)
	wantFault(t, index(t, v).View(func(tx *vault.IndexTx) error { _, err := tx.Get([]byte{1}); return err }), fault.Damaged, "vault-record-damaged")
}

func TestIndexBlocksMoved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	fillIndex(t, index(t, v))
	closeVault(t, v)
	db, err := bbolt.Open(filepath.Join(dir, "index.db"), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(bt *bbolt.Tx) error {
		b := bt.Bucket([]byte{1})
		return b.Put([]byte{2}, bytes.Clone(b.Get([]byte{1})))
	})
	if err = errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	v = open(t, dir)
	wantFault(t, index(t, v).View(func(tx *vault.IndexTx) error { _, err := tx.Get([]byte{2}); return err }), fault.Damaged, "vault-record-damaged")
}
