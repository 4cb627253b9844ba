package atomicfile_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"keepsake/backend/atomicfile"
)

// Promise: a file that another program has open for a moment is replaced all the same.
func TestAFileThatIsOpenIsReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := atomicfile.Write(path, 0o600, say("first")); err != nil {
		t.Fatal(err)
	}
	held, err := os.Open(path) // as a virus scanner does; it does not share the name
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(300*time.Millisecond, func() { held.Close() })
	if err := atomicfile.Write(path, 0o600, say("second")); err != nil {
		t.Fatal(err)
	}
	if got := read(t, path); got != "second" {
		t.Errorf("got %q", got)
	}
}
