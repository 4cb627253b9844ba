package vault_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"keepsake/backend/fault"
	"keepsake/backend/vault"
)

func putBlob(t *testing.T, v *vault.Vault, plain []byte) (string, bool) {
	t.Helper()
	ref, size, added, err := v.PutBlob(bytes.NewReader(plain))
	if err != nil || size != int64(len(plain)) {
		t.Fatalf("put blob: %d, %v", size, err)
	}
	return ref, added
}

func readBlob(t *testing.T, v *vault.Vault, ref string) []byte {
	t.Helper()
	r, size, err := v.OpenBlob(ref)
	if err != nil {
		t.Fatalf("open blob: %v", err)
	}
	defer r.Close()
	plain, err := io.ReadAll(r)
	if err != nil || int64(len(plain)) != size {
		t.Fatalf("read blob: %d of %d, %v", len(plain), size, err)
	}
	return plain
}

// Promise: the same bytes are kept once, and come back after the vault was
// closed.
func TestBlobs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	picture := bytes.Repeat([]byte("pixel "), 300_000)
	ref, added := putBlob(t, v, picture)
	again, addedAgain := putBlob(t, v, picture)
	other, _ := putBlob(t, v, nil)
	if !added || addedAgain || ref != again || ref == other {
		t.Fatalf("%s %v, %s %v, %s", ref, added, again, addedAgain, other)
	}
	if files, _ := os.ReadDir(filepath.Join(dir, "blobs")); len(files) != 2 {
		t.Fatalf("%d files", len(files))
	}
	closeVault(t, v)
	v = open(t, dir)
	if !bytes.Equal(readBlob(t, v, ref), picture) || len(readBlob(t, v, other)) != 0 {
		t.Fatal("they come back otherwise")
	}
	if err := v.DeleteBlob(ref); err != nil {
		t.Fatal(err)
	}
	_, _, err := v.OpenBlob(ref)
	wantFault(t, err, fault.NotFound, "no-attachment")
	if err := v.DeleteBlob(ref); err != nil {
		t.Fatalf("deleting what is gone: %v", err)
	}
}

// Promise: a stream that breaks leaves nothing, and its own error comes back.
func TestBrokenStream(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	broken := errors.New("the zip ends here")
	_, _, _, err := v.PutBlob(io.MultiReader(strings.NewReader("half"), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) {
		t.Fatalf("got %v", err)
	}
	if files, _ := os.ReadDir(filepath.Join(dir, "blobs")); len(files) != 0 {
		t.Fatalf("left behind: %v", files)
	}
}

// Promise: a damaged blob is called that, and putting the same bytes again
// mends it.
func TestDamagedBlob(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	plain := bytes.Repeat([]byte("abc"), 1000)
	ref, _ := putBlob(t, v, plain)
	path := filepath.Join(dir, "blobs", ref)
	if err := os.Truncate(path, 500); err != nil {
		t.Fatal(err)
	}
	r, _, err := v.OpenBlob(ref)
	if err == nil {
		_, err = io.ReadAll(r)
		_ = r.Close()
	}
	wantFault(t, err, fault.Damaged, "vault-attachment-damaged")
	if _, added := putBlob(t, v, plain); !added || !bytes.Equal(readBlob(t, v, ref), plain) {
		t.Fatal("it was not mended")
	}
}

// Promise: a reference is a name of ours or nothing; it never reaches another
// file.
func TestForeignReferences(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	before := fingerprint(t, dir)
	for _, ref := range []string{"", ".", "../vault.head", strings.Repeat("a", 63), strings.Repeat("A", 64), strings.Repeat("/", 64), strings.Repeat("0", 64)} {
		_, _, err := v.OpenBlob(ref)
		wantFault(t, err, fault.NotFound, "no-attachment")
		if err := v.DeleteBlob(ref); err != nil {
			t.Errorf("delete %q: %v", ref, err)
		}
	}
	if fingerprint(t, dir) != before {
		t.Error("a foreign reference reached a file")
	}
}

// Promise: what was opened stops giving content when the vault is locked.
func TestBlobStopsWithTheLock(t *testing.T) {
	v := newVault(t)
	ref, _ := putBlob(t, v, make([]byte, 1000))
	r, _, err := v.OpenBlob(ref)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := io.CopyN(io.Discard, r, 10); err != nil {
		t.Fatal(err)
	}
	v.Lock()
	_, err = r.Read(make([]byte, 10))
	wantFault(t, err, fault.Locked, "vault-locked")
}

// TestStagedBlobs: many blobs settle at once; one that was never settled is
// gone with the lock, and nothing of it stays.
func TestStagedBlobs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	var refs []string
	for i := range 60 {
		ref, _, added, err := v.StageBlob(strings.NewReader(fmt.Sprint("file ", i%50)))
		if err != nil || added != (i < 50) {
			t.Fatalf("%d: added %v, %v", i, added, err)
		}
		refs = append(refs, ref)
	}
	if _, _, err := v.OpenBlob(refs[0]); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("a staged blob can be read: %v", err)
	}
	if err := v.SettleBlobs(refs[:40]); err != nil {
		t.Fatal(err)
	}
	if err := v.DeleteBlob(refs[45]); err != nil {
		t.Fatal(err)
	}
	for i, ref := range refs[:40] {
		r, _, err := v.OpenBlob(ref)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if string(text) != fmt.Sprint("file ", i) || err != nil {
			t.Errorf("%q, %v", text, err)
		}
		_ = r.Close()
	}
	v.Lock()
	entries, err := os.ReadDir(filepath.Join(dir, "blobs"))
	if err != nil || len(entries) != 40 {
		t.Errorf("%d files, %v", len(entries), err)
	}
}
