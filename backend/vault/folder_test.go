package vault_test

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"keepsake/backend/fault"
	"keepsake/backend/seal"
	"keepsake/backend/vault"
)

// wholeVault has a record, an attachment, an index, a failed unlock and a snapshot.
func wholeVault(t *testing.T) (dir, ref string) {
	t.Helper()
	v := newVault(t)
	put(t, v, vault.Memories, "m", 3)
	ref, _, _, err := v.PutBlob(strings.NewReader("attached"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := v.Index(); err != nil {
		t.Fatal(err)
	}
	if err := v.Snapshot(context.Background()); err != nil {
		t.Fatal(err)
	}
	dir = v.Info().Dir
	closeVault(t, v)
	return dir, ref
}

// Promise: a file that has a second name outside the vault is not written to.
func TestHardLinksAreNotWrittenThrough(t *testing.T) {
	whole, _ := wholeVault(t)
	for _, name := range []string{"vault.gen", "vault.db", "lock"} {
		dir := filepath.Join(t.TempDir(), "vault")
		copyFolder(t, whole, dir)
		path := filepath.Join(dir, name)
		if err := os.Link(path, filepath.Join(t.TempDir(), "second")); err != nil {
			t.Fatal(err)
		}
		before := filesOf(t, dir)
		_, err := tryOpen(t, dir)
		wantFault(t, err, fault.Refused, "vault-entry-second-name")
		if !maps.Equal(before, filesOf(t, dir)) {
			t.Errorf("%s: a file of the vault changed", name)
		}
	}
}

// Promise: a creation that fails after it has begun leaves an empty folder empty.
func TestFailedCreationLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	now := func() time.Time { // is asked when the folder is locked already
		_ = os.MkdirAll(filepath.Join(dir, "vault.head", "in the way"), 0o700)
		return day
	}
	if _, _, err := vault.Create(dir, vault.CreateOptions{Passphrase: []byte(passphrase), KDF: seal.TestKDF(), Now: now}); err == nil {
		t.Fatal("it wrote over a folder")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// Promise: an attachment that is being read can be removed.
func TestAnAttachmentIsRemovedWhileItIsRead(t *testing.T) {
	v := newVault(t)
	ref, _ := putBlob(t, v, []byte("a picture"))
	shown, _, err := v.OpenBlob(ref)
	if err != nil {
		t.Fatal(err)
	}
	if err := v.DeleteBlob(ref); err != nil {
		t.Errorf("while it is read: %v", err)
	}
	_ = shown.Close()
	if refs, err := v.Blobs(); err != nil || len(refs) != 0 {
		t.Errorf("it is still there: %v, %v", refs, err)
	}
}
