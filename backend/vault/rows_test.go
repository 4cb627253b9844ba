package vault_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"sync"
	"testing"

	"go.etcd.io/bbolt"

	"keepsake/backend/fault"
	"keepsake/backend/vault"
)

// rowsOf reads all rows of a collection: among those of all, and again by its pages.
func rowsOf(t *testing.T, v *vault.Vault, of vault.Collection) map[uint64]vault.Row {
	t.Helper()
	among, alone := newRowList(), newRowList()
	err := v.View(func(tx *vault.Tx) error {
		return errors.Join(tx.ScanRows(func(c vault.Collection, page []vault.Row) error {
			if c == of {
				among.add(page)
			}
			return nil
		}), tx.RowsOf(of, func(page []vault.Row) error {
			alone.add(page)
			return nil
		}))
	})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(among.rows, alone.rows) {
		t.Errorf("%d rows among those of all, %d by their pages", len(among.rows), len(alone.rows))
	}
	return among.rows
}

// rowList keeps rows that come from several goroutines.
type rowList struct {
	mu   sync.Mutex
	rows map[uint64]vault.Row
}

func newRowList() *rowList { return &rowList{rows: map[uint64]vault.Row{}} }

func (l *rowList) add(page []vault.Row) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range page {
		r.Text = bytes.Clone(r.Text)
		l.rows[r.Seq] = r
	}
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

// TestRowsUnderAnothersName: where the place of one page was put for another's, nothing is
// taken for a row that is none.
func TestRowsUnderAnothersName(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	update(t, v, func(tx *vault.Tx) error {
		err := errors.Join(putRow(tx, "a", "of a memory"), tx.Put(vault.Relations, "a", day, []byte("text")))
		_, failed := tx.PutRow(vault.Relations, "a", []byte("of a relation"))
		return errors.Join(err, failed)
	})
	index := vault.BucketName(v, vault.Rows, 'i')
	closeVault(t, v)
	raw(t, dir, func(bt *bbolt.Tx) error {
		b := bt.Bucket(index)
		c := b.Cursor()
		one, of := c.First()
		other, place := c.Next()
		of, place = bytes.Clone(of), bytes.Clone(place)
		return errors.Join(b.Put(bytes.Clone(one), place), b.Put(bytes.Clone(other), of))
	})
	v, err := vault.Open(dir, clock)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = v.Close() })
	vault.ProveLater(v) // which would tell the same, at another time
	if err := v.Unlock(t.Context(), []byte(passphrase)); err != nil {
		t.Fatal(err)
	}
	err = v.View(func(tx *vault.Tx) error {
		return tx.RowsOf(vault.Memories, func(page []vault.Row) error {
			return fmt.Errorf("%d rows were given, the first %q", len(page), page[0].Text)
		})
	})
	wantFault(t, err, fault.Damaged, "vault-data-damaged")
}
