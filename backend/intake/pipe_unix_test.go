//go:build unix

package intake_test

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"keepsake/backend/fault"
	"keepsake/backend/intake"
)

// TestANamedPipeIsNoFile: to open one would wait for whoever writes to it, for ever.
func TestANamedPipeIsNoFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	source, err := intake.FromPath(path)
	if err != nil {
		t.Fatal(err)
	}
	opened := make(chan error, 1)
	go func() {
		_, err := intake.Open(t.Context(), []intake.Source{source}, intake.Options{})
		opened <- err
	}()
	select {
	case err := <-opened:
		if fault.From(err).Reason != "not-a-file" {
			t.Errorf("got %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it is still waiting")
	}
}
