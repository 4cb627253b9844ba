//go:build !windows

package vault_test

import (
	"context"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"keepsake/backend/fault"
	"keepsake/backend/vault"
)

// formatNames are all names that the format gives to something in the folder of a
// vault whose only snapshot and journal are of one generation, and whether a
// folder belongs there.
func formatNames(t *testing.T, dir, ref string) map[string]bool {
	t.Helper()
	names := map[string]bool{"blobs": true, "journal": true, "snapshots": true}
	for _, name := range []string{
		"vault.head", "vault.head.bak", "vault.db", "vault.gen", "vault.tries", "index.db", "lock",
		"vault.db.damaged-20260701T120000Z", ".tmp-vault.head-1", ".tmp-vault.db", ".tmp-compacted", ".tmp-compacted-index", ".tmp-recovered", ".tmp-recovered-own",
		".keepsake-scratch-1", "blobs/" + ref, "blobs/.tmp-blob-1", "journal/000000009999", "journal/.tmp-000000000002-1",
	} {
		names[name] = false
	}
	names["snapshots/.tmp-snapshot"], names["snapshots/000000009999"] = true, true
	made, err := os.ReadDir(filepath.Join(dir, "snapshots"))
	if err != nil || len(made) == 0 {
		t.Fatal("no snapshots", err)
	}
	at := "snapshots/" + made[0].Name()
	names[at] = true
	for _, name := range []string{"vault.db", "vault.head", ".tmp-vault.head-1"} {
		names[at+"/"+name] = false
	}
	return names
}

// planted puts something of another kind in the place of a name, in as many ways
// as there are; each is given the path and the folder of what must not change.
func planted() map[string]func(path, foreign string) error {
	link := func(target string) func(path, foreign string) error {
		return func(path, foreign string) error { return os.Symlink(filepath.Join(foreign, target), path) }
	}
	return map[string]func(path, foreign string) error{
		"link to a file":   link("file"),
		"link to a folder": link("folder"),
		"link to nothing":  link("missing"),
		"pipe":             func(path, _ string) error { return syscall.Mkfifo(path, 0o600) },
		"socket":           listenAt,
	}
}

// listenAt leaves a socket at a path, which may be longer than a socket's name.
func listenAt(path, foreign string) error {
	short := filepath.Join(os.TempDir(), fmt.Sprintf("ks%d.sock", os.Getpid()))
	l, err := net.Listen("unix", short)
	if err != nil {
		return err
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	return cmpErr(os.Rename(short, path), l.Close())
}

func cmpErr(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// foreignFolder has what the files and folders of a vault are called, so that
// whoever follows a link finds something to remove.
func foreignFolder(t *testing.T, ref string) (dir string, held map[string]string) {
	t.Helper()
	dir = t.TempDir()
	for _, name := range []string{"file", "folder/" + ref, "folder/.tmp-1", "folder/000000000000", "folder/000000000001/photo.jpg", "folder/vault.db", "folder/vault.head"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("not the vault's: "+name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir, filesOf(t, dir)
}

// Promise: what is at one of the format's names and is no regular file, or no
// folder, of its own is named in a fault by whatever comes upon the folder; it is
// not followed, not waited for, and nothing is written.
func TestOnlyWhatTheFormatSaysIsOpened(t *testing.T) {
	whole, ref := wholeVault(t)
	foreign, held := foreignFolder(t, ref)
	names := formatNames(t, whole, ref)
	tries := 0
	for _, name := range slices.Sorted(maps.Keys(names)) {
		kinds := planted()
		if names[name] {
			kinds["a file"] = func(path, _ string) error { return os.WriteFile(path, []byte("x"), 0o600) }
		} else {
			kinds["a folder"] = func(path, _ string) error { return os.Mkdir(path, 0o700) }
		}
		for kind, plant := range kinds {
			dir := filepath.Join(t.TempDir(), "vault")
			copyFolder(t, whole, dir)
			path := filepath.Join(dir, filepath.FromSlash(name))
			if err := cmpErr(os.RemoveAll(path), os.MkdirAll(filepath.Dir(path), 0o700), plant(path, foreign)); err != nil {
				t.Fatal(err)
			}
			before := filesOf(t, dir)
			for does, err := range everyOpening(dir) {
				tries++
				f := fault.From(err)
				if err == nil || !strings.HasPrefix(f.Reason, "vault-entry-no-") || !strings.Contains(f.Message(), path) {
					t.Errorf("%s, %s, %s: %v", name, kind, does, err)
				}
			}
			if !maps.Equal(before, filesOf(t, dir)) {
				t.Errorf("%s, %s: a file of the vault changed", name, kind)
			}
			_ = os.RemoveAll(dir)
		}
	}
	if !maps.Equal(held, filesOf(t, foreign)) {
		t.Error("a file outside the vault changed")
	}
	t.Logf("%d of %d tries were refused by name, and no file changed", tries, tries)
}

// everyOpening is every way into a vault's folder that is not open.
func everyOpening(dir string) map[string]error {
	ctx := context.Background()
	vaultOpened := func(v *vault.Vault, err error) error {
		if err == nil {
			err = v.Close()
		}
		return err
	}
	errs := map[string]error{}
	errs["open"] = vaultOpened(vault.Open(dir, clock))
	errs["open at once"] = vaultOpened(vault.OpenBy(dir, clock, vault.ByPassphrase(ctx, []byte("a wrong passphrase")), nil))
	errs["may open"] = vault.MayOpen(dir)
	_, errs["inspect"] = vault.Inspect(dir)
	_, errs["diagnose"] = vault.Diagnose(dir)
	_, errs["recover"] = vault.Recover(ctx, dir, clock, false, byPassphrase())
	_, errs["salvage"] = vault.Salvage(ctx, dir, byPassphrase())
	return errs
}

// Promise: a folder of the open vault that is replaced by a link is not followed:
// not by what writes, compacts, forgets, copies, nor by the removal of the vault.
func TestLinksPutIntoAnOpenVaultAreNotFollowed(t *testing.T) {
	ctx := context.Background()
	does := map[string]func(*vault.Vault, string) error{
		"put": func(v *vault.Vault, _ string) error {
			return v.Update(func(tx *vault.Tx) error { return tx.Put(vault.Memories, "new", day, []byte("x")) })
		},
		"attach":   func(v *vault.Vault, _ string) error { _, _, _, err := v.PutBlob(strings.NewReader("more")); return err },
		"detach":   func(v *vault.Vault, ref string) error { return v.DeleteBlob(ref) },
		"list":     func(v *vault.Vault, _ string) error { _, err := v.Blobs(); return err },
		"compact":  func(v *vault.Vault, _ string) error { _, err := v.Compact(ctx); return err },
		"snapshot": func(v *vault.Vault, _ string) error { return v.Snapshot(ctx) },
		"erase":    func(v *vault.Vault, _ string) error { return v.Erase(ctx, vault.Traces{{1}}) },
		"check":    func(v *vault.Vault, _ string) error { _, err := v.Check(ctx, func(int, int) {}); return err },
		"destroy":  func(v *vault.Vault, _ string) error { return v.Destroy() },
	}
	whole, ref := wholeVault(t)
	foreign, held := foreignFolder(t, ref)
	for _, folder := range []string{"blobs", "journal", "snapshots"} {
		for name, do := range does {
			dir := filepath.Join(t.TempDir(), "vault")
			copyFolder(t, whole, dir)
			v := open(t, dir)
			path := filepath.Join(dir, folder)
			if err := cmpErr(os.Rename(path, path+"-moved"), os.Symlink(filepath.Join(foreign, "folder"), path)); err != nil {
				t.Fatal(err)
			}
			_ = do(v, ref) // some need nothing of this folder
			_ = v.Close()
			if !maps.Equal(held, filesOf(t, foreign)) {
				t.Fatalf("%s, %s: a file outside the vault changed", folder, name)
			}
		}
	}
}

// Promise: a file of another account is not opened, unless the whole folder is its.
func TestFilesOfOtherAccountsAreNotOpened(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Log("only root can give files away; the two tries were not made")
		return
	}
	whole, _ := wholeVault(t)
	dir := filepath.Join(t.TempDir(), "vault")
	copyFolder(t, whole, dir)
	if err := os.Chown(filepath.Join(dir, "vault.gen"), nobody, -1); err != nil {
		t.Fatal(err)
	}
	before := filesOf(t, dir)
	_, err := tryOpen(t, dir)
	wantFault(t, err, fault.Refused, "vault-entry-other-owner")
	if !maps.Equal(before, filesOf(t, dir)) {
		t.Error("a file of the vault changed")
	}
	err = filepath.WalkDir(dir, func(path string, _ os.DirEntry, _ error) error { return os.Chown(path, nobody, -1) })
	if err != nil {
		t.Fatal(err)
	}
	closeVault(t, open(t, dir))
}
