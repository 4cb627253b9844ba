//go:build !windows

package keptblock

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"keepsake/backend/fault"
)

// TestFilesOfOthers and pipes are refused, and nothing is waited for. Only root can give a file away.
func TestFilesOfOthers(t *testing.T) {
	dir := t.TempDir()
	pipe, foreign := filepath.Join(dir, "pipe.md"), filepath.Join(dir, "foreign.md")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(foreign, []byte("theirs"), 0o666); err != nil {
		t.Fatal(err)
	}
	refused := []string{pipe}
	if os.Getuid() == 0 {
		if err := os.Chown(foreign, 12345, -1); err != nil {
			t.Fatal(err)
		}
		refused = append(refused, foreign)
	}
	for _, path := range refused {
		if _, err := Put(path, "x"); fault.From(err) == nil || fault.From(err).Reason != "kept-not-plain" {
			t.Errorf("%s: %v", path, err)
		}
	}
}
