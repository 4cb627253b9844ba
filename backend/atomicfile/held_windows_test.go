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

// Promise: a file or a folder that somebody has open for a moment is removed all the same.
func TestWhatIsOpenIsRemoved(t *testing.T) {
	dir := t.TempDir()
	for _, open := range []string{"folder", filepath.Join("folder", "file")} {
		folder := filepath.Join(dir, "folder")
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "file"), []byte("text"), 0o600); err != nil {
			t.Fatal(err)
		}
		held, err := os.Open(filepath.Join(dir, open))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(folder); err == nil {
			t.Fatalf("%s: the control: it is removed while it is open", open)
		}
		time.AfterFunc(300*time.Millisecond, func() { held.Close() })
		if err := atomicfile.RemoveAll(folder); err != nil {
			t.Errorf("%s: %v", open, err)
		}
		if _, err := os.Lstat(folder); err == nil {
			t.Errorf("%s: it is still there", open)
		}
	}
}
