package vault_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"

	"go.etcd.io/bbolt"

	"keepsake/backend/fault"
	"keepsake/backend/vault"
)

// rowsOf reads all rows of a collection.
func rowsOf(t *testing.T, v *vault.Vault, of vault.Collection) map[uint64]vault.Row {
	t.Helper()
	got := map[uint64]vault.Row{}
	var mu sync.Mutex
	err := v.View(func(tx *vault.Tx) error {
		return tx.ScanRows(func(c vault.Collection, page []vault.Row) error {
			mu.Lock()
			defer mu.Unlock()
			for _, r := range page {
				if c == of {
					r.Text = bytes.Clone(r.Text)
					got[r.Seq] = r
				}
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func bytesOf(rows map[uint64]vault.Row) map[uint64]string {
	out := map[uint64]string{}
	for seq, r := range rows {
		out[seq] = string(r.Text)
	}
	return out
}

func putRow(tx *vault.Tx, id, row string) error {
	if err := tx.Put(vault.Memories, id, day, []byte("text")); err != nil {
		return err
	}
	_, err := tx.PutRow(vault.Memories, id, []byte(row))
	return err
}

// TestRows holds pages against a plain map, through puts, deletions and a new
// unlock.
func TestRows(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	want, seqs := map[uint64]string{}, map[string]uint64{}
	random := rand.New(rand.NewPCG(1, 2))
	for range 30 {
		update(t, v, func(tx *vault.Tx) error {
			for range 20 {
				id := fmt.Sprint("memory ", random.IntN(300))
				if _, there := seqs[id]; there && random.IntN(3) == 0 {
					delete(want, seqs[id])
					delete(seqs, id)
					if err := tx.Delete(vault.Memories, id); err != nil {
						return err
					}
					continue
				}
				row := fmt.Sprint(id, " row ", random.IntN(1000))
				err := putRow(tx, id, row)
				if err != nil {
					return err
				}
				if seqs[id], err = tx.Seq(vault.Memories, id); err != nil {
					return err
				}
				want[seqs[id]] = row
			}
			return nil
		})
	}
	if got := bytesOf(rowsOf(t, v, vault.Memories)); !maps.Equal(got, want) {
		t.Fatalf("%d rows, want %d", len(got), len(want))
	}
	closeVault(t, v)
	v = open(t, dir)
	if got := bytesOf(rowsOf(t, v, vault.Memories)); !maps.Equal(got, want) {
		t.Fatalf("after unlocking: %d rows, want %d", len(got), len(want))
	}
}

// TestRowMarks: writing a row again gives it another mark, and its neighbours
// keep theirs.
func TestRowMarks(t *testing.T) {
	v := newVault(t)
	put := func(id, row string) func(*vault.Tx) error {
		return func(tx *vault.Tx) error {
			return putRow(tx, id, row)
		}
	}
	update(t, v, put("a", "one"))
	update(t, v, put("b", "two"))
	before := rowsOf(t, v, vault.Memories)
	update(t, v, put("b", "two"))
	after := rowsOf(t, v, vault.Memories)
	if before[1].Mark != after[1].Mark || before[2].Mark == after[2].Mark || !bytes.Equal(before[2].Text, after[2].Text) {
		t.Errorf("%v became %v", before, after)
	}
}

func TestRowNeedsItsRecord(t *testing.T) {
	v := newVault(t)
	err := v.Update(func(tx *vault.Tx) error { _, err := tx.PutRow(vault.Memories, "nobody", nil); return err })
	if fault.CodeOf(err) != fault.NotFound {
		t.Error(err)
	}
}

// TestRowsEnd: an error of who takes the rows ends the scan and comes back.
func TestRowsEnd(t *testing.T) {
	v := newVault(t)
	update(t, v, func(tx *vault.Tx) error {
		return putRow(tx, "a", "")
	})
	enough := errors.New("enough")
	err := v.View(func(tx *vault.Tx) error {
		return tx.ScanRows(func(vault.Collection, []vault.Row) error { return enough })
	})
	if !errors.Is(err, enough) {
		t.Error(err)
	}
}

// TestProveLater: an unlock of a large vault leaves the proof for later; when
// it fails, the vault is of no further use.
func TestProveLater(t *testing.T) {
	tg := newTarget(t)
	later := func() *vault.Vault {
		v, err := vault.Open(tg.dir, clock)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = v.Close() })
		vault.ProveLater(v)
		if err := v.Unlock(t.Context(), []byte(passphrase)); err != nil {
			t.Fatal(err)
		}
		return v
	}
	v := later()
	if err := v.Prove(); err != nil {
		t.Fatal(err)
	}
	closeVault(t, v)
	raw(t, tg.dir, func(bt *bbolt.Tx) error {
		b := bt.Bucket(tg.names["memories r"])
		k, _ := b.Cursor().First()
		return b.Delete(k)
	})
	v = later()
	wantFault(t, v.Prove(), fault.Damaged, "vault-records-changed")
	wantFault(t, v.View(func(*vault.Tx) error { return nil }), fault.Damaged, "vault-records-changed")
}
