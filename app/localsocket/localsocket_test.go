package localsocket_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"

	"keepsake/app/localsocket"
)

// reaches listens for one path of a vault and reports whether dialling another one reaches that.
func reaches(t *testing.T, listens, dials string) bool {
	t.Helper()
	l, err := localsocket.Listen("test", listens)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	conn, err := localsocket.Dial("test", dials)
	if err != nil {
		return false
	}
	conn.Close()
	return true
}

// TestAVaultByAnotherPath: a vault is found by whatever path it is named, one that is not there yet
// too, and no other one is.
func TestAVaultByAnotherPath(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "real"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "real"), filepath.Join(dir, "link")); err != nil {
		t.Skip(err) // Windows without the right to
	}
	t.Chdir(dir)
	for _, other := range []string{"link", "real", "./real/", filepath.Join(dir, "link"), "link/../real"} {
		if !reaches(t, filepath.Join(dir, "real"), other) {
			t.Errorf("%s is not reached", other)
		}
	}
	if !reaches(t, filepath.Join(dir, "real", "new", "vault"), "link/new/vault") {
		t.Error("a vault that is not there yet is not reached")
	}
	if reaches(t, filepath.Join(dir, "real"), dir) {
		t.Error("another vault is reached")
	}
}

// TestOneListens: a second listener is told so, and the first ends with Close alone.
func TestOneListens(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	l, err := localsocket.Listen("test", "vault")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := localsocket.Listen("test", "vault"); !errors.Is(err, localsocket.ErrTaken) {
		t.Errorf("a second listener: %v", err)
	}
	ended := make(chan error)
	go func() {
		_, err := l.Accept()
		ended <- err
	}()
	l.Close()
	if err := <-ended; !errors.Is(err, net.ErrClosed) {
		t.Errorf("it ended with %v", err)
	}
}
