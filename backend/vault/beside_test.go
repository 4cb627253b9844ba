package vault_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// Promise: whatever happens to a byte or the end of any other file of the vault,
// the next start shows the data as they were: no single file but the data file
// is needed for them.
func TestDamageSweepBeside(t *testing.T) {
	copiesEach := sized(2000, 1<<30) // of a file, about
	if testing.Short() {
		copiesEach = 100
	}
	s := newSmall(t, 1)
	dir := filepath.Join(fastFolder(t), "vault")
	for _, pattern := range []string{"vault.head", "vault.head.bak", "vault.gen", "journal/*"} {
		files, err := filepath.Glob(filepath.Join(s.dir, pattern))
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, files, err)
		}
		for _, path := range files {
			good, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			name, err := filepath.Rel(s.dir, path)
			if err != nil {
				t.Fatal(err)
			}
			copies := 0
			used := len(bytes.TrimRight(good, "\x00"))
			spoils(good[:used], used, 1+4*used/copiesEach, slice(t), func(d spoil) {
				copies++
				remove(t, dir)
				copyFolder(t, s.dir, dir)
				if err := os.WriteFile(filepath.Join(dir, name), d.bytes, 0o600); err != nil {
					t.Fatal(err)
				}
				if text, err := readAll(dir); err != nil || text != s.truth {
					t.Errorf("%s, %s: %v (%v), data as they were: %v", name, d.name, err, errors.Unwrap(err), text == s.truth)
				}
			})
			t.Logf("damage sweep of %s (%d bytes): %d copies, all read as they were", name, used, copies)
		}
	}
}
