package vault_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"keepsake/backend/vault"
)

func lockCases() []kitCase {
	return []kitCase{
		{"missing", func(t *testing.T, _ *kit, dir string) { remove(t, file(dir, "lock")) }},
		{"not empty", func(t *testing.T, _ *kit, dir string) { write(t, file(dir, "lock"), "1234") }},
		{"a folder in its place", func(t *testing.T, _ *kit, dir string) {
			remove(t, file(dir, "lock"))
			mkdir(t, file(dir, "lock"))
		}},
		{"held by another", func(t *testing.T, k *kit, dir string) {
			v, err := vault.Open(dir, clock)
			if err != nil {
				t.Fatal(err)
			}
			k.hold = func() { _ = v.Close() }
		}},
		{"data file held by another", func(t *testing.T, k *kit, dir string) {
			db, err := bbolt.Open(file(dir, "vault.db"), 0o600, &bbolt.Options{Timeout: time.Second})
			if err != nil {
				t.Fatal(err)
			}
			k.hold = func() { _ = db.Close() }
		}},
	}
}

func folderCases(*kit) []kitCase {
	return []kitCase{
		{"as it was", func(*testing.T, *kit, string) {}},
		{"missing", func(t *testing.T, _ *kit, dir string) { remove(t, dir) }},
		{"empty", func(t *testing.T, _ *kit, dir string) { remove(t, dir); mkdir(t, dir) }},
		{"a file in its place", func(t *testing.T, _ *kit, dir string) { remove(t, dir); write(t, dir, "x") }},
		{"data file missing", func(t *testing.T, _ *kit, dir string) { remove(t, file(dir, "vault.db")) }},
		{"a folder in the data file's place", func(t *testing.T, _ *kit, dir string) {
			remove(t, file(dir, "vault.db"))
			mkdir(t, file(dir, "vault.db"))
		}},
		{"only the data file", func(t *testing.T, _ *kit, dir string) {
			remove(t, file(dir, "vault.head"))
			remove(t, file(dir, "vault.head.bak"))
		}},
		{"only the headers", func(t *testing.T, _ *kit, dir string) {
			remove(t, file(dir, "vault.db"))
			remove(t, file(dir, "blobs"))
		}},
		{"no folder of blobs", func(t *testing.T, _ *kit, dir string) { remove(t, file(dir, "blobs")) }},
		{"remains of a write", func(t *testing.T, _ *kit, dir string) { write(t, file(dir, ".tmp-vault.head"), "half") }},
		{"remains of a creation", func(t *testing.T, _ *kit, dir string) { write(t, file(dir, ".tmp-vault.db"), "half") }},
		{"other people's files", func(t *testing.T, _ *kit, dir string) { write(t, file(dir, "thesis.odt"), "x") }},
		{"data file of another vault", func(t *testing.T, _ *kit, dir string) {
			foreign := filepath.Join(t.TempDir(), "vault")
			v, _ := create(t, foreign)
			closeVault(t, v)
			raw, err := os.ReadFile(file(foreign, "vault.db"))
			if err != nil {
				t.Fatal(err)
			}
			write(t, file(dir, "vault.db"), string(raw))
		}},
		{"headers of another vault", func(t *testing.T, _ *kit, dir string) {
			foreign := filepath.Join(t.TempDir(), "vault")
			v, _ := create(t, foreign)
			closeVault(t, v)
			raw, err := os.ReadFile(file(foreign, "vault.head"))
			if err != nil {
				t.Fatal(err)
			}
			headers(t, dir, raw, raw)
		}},
	}
}
