package vault_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"keepsake/backend/atomicfile"
	"keepsake/backend/vault"
)

// Promise (M4): a vault that a restore put aside is listed by where it lies, and
// removed whole; a link, a folder of another kind and one that is only called so are
// left alone.
func TestAsides(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	id := v.Info().VaultID
	var text bytes.Buffer
	if err := v.Backup(t.Context(), &text); err != nil {
		t.Fatal(err)
	}
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	backup := filepath.Join(t.TempDir(), "b.zip")
	if err := os.WriteFile(backup, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	_, aside, err := vault.Restore(t.Context(), backup, dir, at, nothing, byPassphrase())
	if err != nil || aside == "" {
		t.Fatal(aside, err)
	}
	foreign := t.TempDir()
	kept := filepath.Join(foreign, "kept")
	for _, err := range []error{os.WriteFile(kept, []byte("x"), 0o600), os.Symlink(foreign, dir+".before-restore-link"), os.Mkdir(dir+".before-restore-empty", 0o700),
		os.WriteFile(filepath.Join(aside, "mine.txt"), []byte("of the person"), 0o600)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	all, err := vault.Asides(dir)
	if err != nil || len(all) != 1 || all[0].Path != aside || !all[0].Own || !all[0].At.Equal(at) {
		t.Fatalf("%+v, %v (%s, %s)", all, err, aside, id)
	}
	for _, other := range []string{foreign, dir, dir + ".before-restore-link", dir + ".before-restore-empty"} {
		if vault.RemoveAside(dir, other) == nil {
			t.Errorf("%s was removed", other)
		}
	}
	if err := vault.RemoveAside(dir, aside); err != nil {
		t.Fatal(err)
	}
	if all, err := vault.Asides(dir); len(all) != 0 || err != nil {
		t.Errorf("%+v, %v", all, err)
	}
	left, _ := os.ReadDir(aside)
	if len(left) != 1 || left[0].Name() != "mine.txt" {
		t.Errorf("%v is left, not what the person put there", left)
	}
	if _, err := os.Stat(kept); err != nil || !vault.Exists(dir) {
		t.Errorf("something else is gone: %v", err)
	}
}

// Promise (M4): what a killed restore left beside the vault, which may be a whole vault
// with what was forgotten since, goes when the vault is opened; one that goes on stays.
func TestWhatAKilledRestoreLeftGoes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	left := func() *atomicfile.Folder {
		t.Helper()
		folder, err := atomicfile.NewFolder(dir)
		if err == nil {
			err = os.CopyFS(folder.Path, os.DirFS(dir))
		}
		if err != nil || !vault.Exists(folder.Path) {
			t.Fatal(err)
		}
		return folder
	}
	living, killed := left(), left()
	killed.Close() // as the end of its process does
	v, err := vault.OpenBy(dir, time.Now, byPassphrase(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(killed.Path); !os.IsNotExist(err) {
		t.Errorf("the folder of a killed restore is there: %v", err)
	}
	if !vault.Exists(living.Path) {
		t.Error("the folder of a restore that goes on is gone")
	}
	living.Close()
}
