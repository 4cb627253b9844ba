package vault_test

import (
	"flag"
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
