package vault

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"keepsake/backend/atomicfile"
	"keepsake/backend/vault/vaultdir"
)

// A failed unlock is counted in the clear, because there is no key to seal it
// with; the next unlock moves the count into the audit log
// (docs/vault-format.md §10.5).

// triesMost bounds the file; who tries more often is counted no further.
const triesMost = 1000

// tryBytes is the length of a line of the file.
const tryBytes = int64(len("2006-01-02T15:04:05Z\n"))

// NoteTry keeps that an unlock failed just now, or who asked for a channel without its
// key. It is done on the way and never in the way.
func NoteTry(dir string, now time.Time) {
	path := filepath.Join(dir, vaultdir.TriesName)
	if fileSize(path) >= triesMost*tryBytes {
		return
	}
	f, err := vaultdir.Open(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return
	}
	defer f.Close()
	_, _ = fmt.Fprintln(f, now.UTC().Format(time.RFC3339))
}

// Tries are the times of unlocks that failed since the last one that did not.
// Anybody who can write to the folder can change them.
func (v *Vault) Tries() []time.Time {
	raw, err := vaultdir.ReadFile(filepath.Join(v.dir, vaultdir.TriesName), 2*triesMost*tryBytes)
	if err != nil {
		return nil
	}
	var out []time.Time
	for line := range bytes.Lines(raw) {
		at, err := time.Parse(time.RFC3339, string(bytes.TrimSpace(line)))
		if err == nil && len(out) < triesMost {
			out = append(out, at)
		}
	}
	return out
}

// ForgetTries empties the count, once it is in the log.
func (v *Vault) ForgetTries() error {
	if err := vaultdir.RemoveAll(filepath.Join(v.dir, vaultdir.TriesName)); err != nil {
		return vaultdir.ErrWriting(err)
	}
	return atomicfile.SyncDir(v.dir)
}
