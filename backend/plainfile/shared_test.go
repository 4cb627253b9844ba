package plainfile_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"keepsake/backend/fault"
	"keepsake/backend/plainfile"
)

// Promise: a file that is being read may be renamed and removed, and is read to its end.
func TestAFileThatIsReadMayBeRemoved(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "export.zip")
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for how, open := range map[string]func() (io.ReadCloser, error){
		"Open":       func() (io.ReadCloser, error) { return plainfile.Open(path) },
		"OpenIn":     func() (io.ReadCloser, error) { return plainfile.OpenIn(root, filepath.Base(path)) },
		"OpenStream": func() (io.ReadCloser, error) { return plainfile.OpenStream(path) },
	} {
		if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := open()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path, path+"2"); err != nil {
			t.Errorf("%s: %v", how, err)
		}
		if err := os.RemoveAll(path + "2"); err != nil {
			t.Errorf("%s: %v", how, err)
		}
		if got, err := io.ReadAll(f); err != nil || string(got) != "text" {
			t.Errorf("%s: %q, %v", how, got, err)
		}
		_ = f.Close()
	}
}

func TestAFolderIsNoFile(t *testing.T) {
	f, err := plainfile.Open(t.TempDir())
	if fault.From(err).Reason != "not-a-plain-file" {
		t.Errorf("got %v, %v", f, err)
	}
}
