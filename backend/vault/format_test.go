package vault_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"keepsake/backend/fault"
	"keepsake/backend/vault"
)

var updateKept = flag.Bool("update", false, "make testdata/format1 again; only before its format is released")

// keptCode is the recovery key of the kept vault.
const keptCode = "testdata/format1.recovery"

// Promise: a vault written in any released format opens for ever. This one was
// written once and is kept.
func TestKeptVaultOpens(t *testing.T) {
	kept := filepath.Join("testdata", "format1")
	if *updateKept {
		writeKept(t, kept)
	}
	dir := filepath.Join(t.TempDir(), "vault")
	copyFolder(t, kept, dir)
	v := open(t, dir)
	if v.Info().Repaired {
		t.Error("its header needed repair")
	}
	checkKept(t, v)
	put(t, v, vault.Memories, "new", 3)
	v.Lock()
	code, err := os.ReadFile(keptCode)
	if err != nil {
		t.Fatal(err)
	}
	if err := v.UnlockRecovery(t.Context(), string(code)); err != nil {
		t.Fatal(err)
	}
	checkKept(t, v)
}

func checkKept(t *testing.T, v *vault.Vault) {
	t.Helper()
	view(t, v, func(tx *vault.Tx) error {
		plain, err := tx.Get(vault.Memories, "m1")
		if err != nil || string(plain) != "text of m1" {
			t.Errorf("the memory is %q, %v", plain, err)
		}
		if id, ok := tx.Linked(vault.Memories, "hash"); !ok || id != "m1" {
			t.Errorf("the link leads to %q, %v", id, ok)
		}
		c, err := tx.Conversation("c1")
		if d := cmp.Diff(rich("c1"), c); d != "" || err != nil {
			t.Errorf("the conversation (-want +got), %v:\n%s", err, d)
		}
		for i, want := range rich("c1").Messages {
			if m, err := textAt(tx, "c1", i); err != nil || m.ID != want.ID {
				t.Errorf("message %d is found as %q, %v", i, m.ID, err)
			}
		}
		_, err = textAt(tx, "c1", len(rich("c1").Messages))
		wantFault(t, err, fault.NotFound, "no-record")
		return nil
	})
	refs, err := os.ReadDir(filepath.Join("testdata", "format1", "blobs"))
	if err != nil || len(refs) != 1 {
		t.Fatalf("blobs: %v, %v", refs, err)
	}
	if got := readBlob(t, v, refs[0].Name()); string(got) != "a small picture" {
		t.Errorf("the blob is %q", got)
	}
}

func writeKept(t *testing.T, kept string) {
	t.Helper()
	if err := os.RemoveAll(kept); err != nil {
		t.Fatal(err)
	}
	v, code := create(t, kept)
	put(t, v, vault.Memories, "m", 3)
	update(t, v, func(tx *vault.Tx) error { return tx.Link(vault.Memories, "hash", "m1") })
	update(t, v, func(tx *vault.Tx) error { return putConversation(tx, vault.ConversationHead{}, rich("c1")) })
	putBlob(t, v, []byte("a small picture"))
	closeVault(t, v)
	if err := os.Remove(filepath.Join(kept, "lock")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(keptCode, []byte(code+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Promise: so do a vault that has lived, whose newest changes are in its journal
// alone, and a frozen one.
func TestKeptVaultsThatLivedOpen(t *testing.T) {
	lived, frozen := filepath.Join("testdata", "format1-lived"), filepath.Join("testdata", "format1-frozen")
	if *updateKept {
		writeLived(t, lived, false)
		writeLived(t, frozen, true)
	}
	for _, kept := range []string{lived, frozen} {
		dir := filepath.Join(t.TempDir(), "vault")
		copyFolder(t, kept, dir)
		v := open(t, dir)
		checkLived(t, v)
		made, err := v.Snapshots()
		if err != nil || len(made) != 1 {
			t.Errorf("%s: snapshots %v, %v", kept, made, err)
		}
		err = v.Update(func(tx *vault.Tx) error { return tx.Put(vault.Memories, "new", day, []byte("new")) })
		if kept == frozen {
			wantFault(t, err, fault.Refused, "vault-frozen")
			err = v.Thaw()
		}
		if err != nil {
			t.Fatal(err)
		}
		put(t, v, vault.Memories, "newer", 2)
		closeVault(t, v)
		checkLived(t, open(t, dir))
		whole := filepath.Join(t.TempDir(), "vault") // without its data file the copy and the journal have it all
		copyFolder(t, kept, whole)
		if err := os.Remove(filepath.Join(whole, "vault.db")); err != nil {
			t.Fatal(err)
		}
		if r := recovered(t, whole); r.Lost != 0 || r.Replayed < 3 {
			t.Errorf("%s: recovered %+v", kept, r)
		}
		checkLived(t, open(t, whole))
	}
}

func checkLived(t *testing.T, v *vault.Vault) {
	t.Helper()
	view(t, v, func(tx *vault.Tx) error {
		for _, id := range []string{"m1", "late0", "late2"} {
			if plain, err := tx.Get(vault.Memories, id); err != nil || string(plain) != "text of "+id {
				t.Errorf("%s says %q, %v", id, plain, err)
			}
		}
		if plain, err := tx.Get(vault.Receipts, "receipt"); err != nil || string(plain) != `{"memories":1}` {
			t.Errorf("the receipt says %q, %v", plain, err)
		}
		if _, ok := tx.Linked(vault.Receipts, "hash"); !ok {
			t.Error("what must not come back is not known")
		}
		entries := 0
		for _, err := range tx.AuditTrail() {
			if err != nil {
				return err
			}
			entries++
		}
		if entries < 3 {
			t.Errorf("%d entries of the log", entries)
		}
		return nil
	})
}

// writeLived makes a vault with a snapshot, entries of the log and a receipt,
// and puts its data file back to the snapshot.
func writeLived(t *testing.T, kept string, frozen bool) {
	t.Helper()
	if err := os.RemoveAll(kept); err != nil {
		t.Fatal(err)
	}
	v, _ := create(t, kept)
	put(t, v, vault.Memories, "m", 3)
	if err := errors.Join(v.Freeze(), v.Thaw(), v.Snapshot(t.Context())); err != nil {
		t.Fatal(err)
	}
	made, err := v.Snapshots()
	if err != nil {
		t.Fatal(err)
	}
	put(t, v, vault.Memories, "late", 3)
	update(t, v, func(tx *vault.Tx) error {
		return errors.Join(tx.Put(vault.Receipts, "receipt", day, []byte(`{"memories":1}`)), tx.Link(vault.Receipts, "hash", ""), tx.Link(vault.Memories, "hash", "m1"), tx.Delete(vault.Memories, "m2"))
	})
	if frozen {
		err = v.Freeze()
	} else {
		err = errors.Join(v.Freeze(), v.Thaw())
	}
	if err != nil {
		t.Fatal(err)
	}
	closeVault(t, v)
	name := fmt.Sprintf("%012d", made[0].Generation)
	damage(t, filepath.Join(kept, "journal", name), func(raw []byte) []byte { return joined(raw, frames(raw)) }) // without room for more
	older, err := os.ReadFile(filepath.Join(kept, "snapshots", name, "vault.db"))
	if err == nil {
		err = os.WriteFile(filepath.Join(kept, "vault.db"), older, 0o600)
	}
	others, listed := os.ReadDir(filepath.Join(kept, "snapshots"))
	for _, o := range others { // the first, of an empty vault
		if o.Name() != name {
			err = errors.Join(err, os.RemoveAll(filepath.Join(kept, "snapshots", o.Name())))
		}
	}
	if err := errors.Join(err, listed, os.Remove(filepath.Join(kept, "lock"))); err != nil {
		t.Fatal(err)
	}
}
