//go:build !windows

package vault_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"keepsake/backend/vault"
)

// nobody is an account that owns nothing; only root can become it.
const nobody = 65534

// childIsForbidden opens a vault as somebody else.
func childIsForbidden(dir string) error {
	if os.Geteuid() == 0 {
		if err := syscall.Setuid(nobody); err != nil {
			return err
		}
	}
	if !vault.Exists(dir) {
		return os.ErrNotExist
	}
	v, err := vault.Open(dir, time.Now)
	if err != nil {
		return err
	}
	return v.Close()
}

// Promise: a vault that this account may not read or write is told apart from
// none, and is never said to be missing.
func TestForbiddenVaultIsNotMissing(t *testing.T) {
	for name, c := range map[string]struct {
		change func(dir string) error
		want   string
	}{
		"folder that cannot be read": {func(dir string) error { return os.Chmod(dir, 0) }, "vault-not-readable"},
		"data that cannot be read":   {func(dir string) error { return os.Chmod(filepath.Join(dir, "vault.db"), 0) }, "vault-not-readable"},
		"folder that cannot be written": {func(dir string) error {
			if err := os.Remove(filepath.Join(dir, "lock")); err != nil {
				return err
			}
			return open4All(dir, 0o555, 0o444)
		}, "vault-not-writable"},
		"data that cannot be written": {func(dir string) error {
			if err := open4All(dir, 0o777, 0o666); err != nil {
				return err
			}
			return os.Chmod(filepath.Join(dir, "vault.db"), 0o444)
		}, "vault-not-writable"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			v, _ := create(t, dir)
			if err := v.Close(); err != nil {
				t.Fatal(err)
			}
			for at := dir; at != os.TempDir() && at != "/"; at = filepath.Dir(at) {
				if err := os.Chmod(at, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if err := open4All(dir, 0o777, 0o666); err != nil {
				t.Fatal(err)
			}
			before := filesOf(t, dir)
			if err := c.change(dir); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
			out, _ := child(t, "forbidden", dir).CombinedOutput()
			if !strings.HasPrefix(string(out), "refused "+c.want+" ") {
				t.Errorf("said %q, want refused %s", out, c.want)
			}
			if err := errors.Join(os.Chmod(dir, 0o700), os.Chmod(filepath.Join(dir, "vault.db"), 0o600)); err != nil {
				t.Fatal(err)
			}
			if c.want == "vault-not-readable" && !maps.Equal(before, filesOf(t, dir)) {
				t.Error("a file of the vault changed")
			}
		})
	}
}

// open4All gives the vault's own files to everybody.
func open4All(dir string, folder, file os.FileMode) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		mode := file
		if e.IsDir() {
			mode = folder
		}
		if err := os.Chmod(filepath.Join(dir, e.Name()), mode); err != nil {
			return err
		}
	}
	return os.Chmod(dir, folder)
}
