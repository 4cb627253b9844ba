package vault_test

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"keepsake/backend/fault"
	"keepsake/backend/vault"
)

func byPassphrase() vault.Opening {
	return vault.ByPassphrase(context.Background(), []byte(passphrase))
}

// backedUp makes a vault with an attachment and a backup of it beside it.
func backedUp(t *testing.T) (dir, file string, held map[string]string, ref string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	put(t, v, vault.Memories, "m", 30)
	ref, _ = putBlob(t, v, bytes.Repeat([]byte("picture "), 300_000))
	held = contents(t, v)
	file = filepath.Join(t.TempDir(), "vault.keepsake-backup")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := v.Backup(context.Background(), f); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	closeVault(t, v)
	return dir, file, held, ref
}

// rotating begins a rotation with the first bytes that are written, and gives it
// a while to go on.
type rotating struct {
	*os.File
	v     *vault.Vault
	begun bool
	done  chan error
}

func (r *rotating) Write(p []byte) (int, error) {
	if !r.begun {
		r.begun = true
		go func() { r.done <- r.rotate() }()
		select {
		case err := <-r.done:
			r.done <- err
		case <-time.After(time.Second):
		}
	}
	return r.File.Write(p)
}

func (r *rotating) rotate() error {
	err := r.v.BeginRotation()
	for m := r.v.Migrator(); err == nil && r.v.Rotation().Running; {
		_, err = m.Step(context.Background())
	}
	return err
}

// Promise: a backup that was written while the keys of the vault changed holds
// the keys of all that is in it.
func TestBackupDuringARotation(t *testing.T) {
	v, _ := create(t, filepath.Join(t.TempDir(), "vault"))
	put(t, v, vault.Memories, "m", 30)
	putBlob(t, v, bytes.Repeat([]byte("picture "), 300_000))
	f, err := os.Create(filepath.Join(t.TempDir(), "vault.keepsake-backup"))
	if err != nil {
		t.Fatal(err)
	}
	w := &rotating{File: f, v: v, done: make(chan error, 1)}
	if err := v.Backup(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(<-w.done, f.Close()); err != nil {
		t.Fatal(err)
	}
	if got := vault.KeyVersions(t, v); len(got) != 1 {
		t.Errorf("the rotation did not end: key versions %v", got)
	}
	if info, err := v.CheckOwnBackup(t.Context(), f.Name(), nothing); err != nil || info.Blobs != 1 {
		t.Errorf("the vault says %+v, %v", info, err)
	}
	if info, err := vault.CheckBackup(t.Context(), f.Name(), t.TempDir(), nothing, byPassphrase()); err != nil || info.Blobs != 1 {
		t.Errorf("the passphrase says %+v, %v", info, err)
	}
}

// Promise: checking a backup decrypts and counts everything in it, and leaves
// nothing behind.
func TestCheckBackup(t *testing.T) {
	_, file, _, _ := backedUp(t)
	scratch := t.TempDir()
	info, err := vault.CheckBackup(context.Background(), file, scratch, nothing, byPassphrase())
	if err != nil {
		t.Fatal(err)
	}
	if info.Counts.Counts[vault.Memories] != 30 || info.Values < 30 || info.Blobs != 1 || info.Size < 2_000_000 {
		t.Errorf("it found %+v", info)
	}
	if left, _ := os.ReadDir(scratch); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	_, err = vault.CheckBackup(context.Background(), file, scratch, nothing, vault.ByPassphrase(context.Background(), []byte("not this one")))
	wantFault(t, err, fault.WrongPassphrase, "wrong-passphrase")
	_, err = vault.CheckBackup(context.Background(), file+"x", scratch, nothing, byPassphrase())
	wantFault(t, err, fault.NotFound, "no-backup")
}

// nothing is named by any record.
func nothing(*vault.Tx, func(string)) error { return nil }

// Promise: a backup counts the attachments that its records name and that it does
// not hold.
func TestBackupCountsWhatIsMissing(t *testing.T) {
	_, file, _, _ := backedUp(t)
	gone := strings.Repeat("0", 64)
	names := func(tx *vault.Tx, yield func(string)) error {
		if tx.Count(vault.Memories) != 30 {
			t.Errorf("%d memories to look through", tx.Count(vault.Memories))
		}
		yield(gone)
		yield(gone)
		return nil
	}
	info, err := vault.CheckBackup(t.Context(), file, t.TempDir(), names, byPassphrase())
	if err != nil || info.Missing != 1 || info.Blobs != 1 {
		t.Errorf("%+v, %v", info, err)
	}
}

// Promise: no damaged byte of a backup goes unnoticed where it matters: the
// check fails, or what would be restored is what was backed up.
func TestDamagedBackups(t *testing.T) {
	_, file, held, _ := backedUp(t)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for at := 11; at < len(whole); at += len(whole) / 60 {
		damage(t, file, func(b []byte) []byte { b[at] ^= 0x20; return b })
		dir := filepath.Join(t.TempDir(), "restored")
		_, _, err := vault.Restore(context.Background(), file, dir, day, nothing, byPassphrase())
		if err != nil {
			refused++
			if fault.CodeOf(err) == fault.Internal {
				t.Errorf("at %d: %v", at, err)
			}
			if _, err := os.Stat(dir); err == nil {
				t.Errorf("at %d: a vault was made", at)
			}
		} else if got := contents(t, open(t, dir)); !maps.Equal(got, held) {
			t.Errorf("at %d: other records were restored", at)
		}
		damage(t, file, func([]byte) []byte { return bytes.Clone(whole) })
	}
	if refused < 40 {
		t.Errorf("only %d were refused", refused)
	}
	t.Logf("%d damaged backups refused", refused)
}

// Promise: restoring brings everything back, attachments too, and never writes
// over a vault.
func TestRestore(t *testing.T) {
	dir, file, held, ref := backedUp(t)
	v := open(t, dir)
	put(t, v, vault.Memories, "later", 2)
	later := contents(t, v)
	if _, _, err := vault.Restore(context.Background(), file, dir, day, nothing, byPassphrase()); fault.CodeOf(err) != fault.Busy {
		t.Fatalf("restoring over an open vault: %v", err)
	}
	closeVault(t, v)
	_, aside, err := vault.Restore(context.Background(), file, dir, day, nothing, byPassphrase())
	if err != nil {
		t.Fatal(err)
	}
	v = open(t, dir)
	if got := contents(t, v); !maps.Equal(got, held) {
		t.Errorf("%d records instead of %d", len(got), len(held))
	}
	r, size, err := v.OpenBlob(ref)
	if err != nil || size != 2_400_000 {
		t.Fatalf("the attachment: %d, %v", size, err)
	}
	_ = r.Close()
	if made, err := v.Snapshots(); v.SnapshotDue() || err != nil || len(made) != 1 {
		t.Errorf("the restored vault has no copy of itself: %v, %v", made, err)
	}
	if got := contents(t, open(t, aside)); !maps.Equal(got, later) {
		t.Error("the vault that was there is not as it was")
	}
	closeVault(t, v)
	for _, name := range []string{"vault.db", "vault.head", "vault.head.bak"} { // what is left can be brought back
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	_, second, err := vault.Restore(context.Background(), file, dir, day, nothing, byPassphrase())
	if err != nil || second == aside {
		t.Fatalf("put aside as %s, %v", second, err)
	}
	recovered(t, second)
	if got := contents(t, open(t, second)); !maps.Equal(got, held) {
		t.Error("the copies of the vault that was there are not as they were")
	}
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "thesis.odt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, err = vault.Restore(context.Background(), file, full, day, nothing, byPassphrase())
	wantFault(t, err, fault.Conflict, "vault-folder-not-empty")
}
