//go:build unix

package localsocket_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"keepsake/app/localsocket"
	"keepsake/backend/product"
)

// TestWithFewVariables: who has only HOME reaches who has all variables, and the other way round. The
// clients of the Model Context Protocol start a server with HOME, LOGNAME, PATH, SHELL, TERM and USER.
func TestWithFewVariables(t *testing.T) {
	t.Cleanup(func() { // of the folder for long paths
		left, _ := filepath.Glob(filepath.Join("/tmp", product.Program+"-*", "test-*.lock"))
		for _, name := range left {
			_ = os.Remove(name)
		}
	})
	short, err := os.MkdirTemp("", "ks")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(short) })
	dirs := map[bool]string{true: short}
	for what, home := range map[string]string{"a home": t.TempDir(), "a home with a long path": filepath.Join(t.TempDir(), strings.Repeat("long", 30))} {
		for _, first := range []bool{true, false} {
			vault := t.TempDir()
			t.Setenv("HOME", home)
			set := func(on bool) {
				for _, name := range []string{"XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "TMPDIR"} {
					t.Setenv(name, dirs[on]) // "" is the same as none
				}
			}
			set(first)
			l, err := localsocket.Listen("test", vault)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			set(!first)
			conn, err := localsocket.Dial("test", vault)
			if err != nil {
				t.Errorf("%s, the one that listens has variables: %t: %v", what, first, err)
			} else {
				conn.Close()
			}
			l.Close()
		}
	}
}

// TestAFolderOfOthers is not used.
func TestAFolderOfOthers(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	l, err := localsocket.Listen("test", "vault")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	locks, err := filepath.Glob(filepath.Join(home, "*", "*", "*", "run", "*.lock"))
	if err != nil || len(locks) != 1 {
		t.Fatal(locks, err)
	}
	if err := os.Chmod(filepath.Dir(locks[0]), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := localsocket.Listen("test", "vault"); err == nil {
		t.Error("it listens where others may look")
	}
	if _, err := localsocket.Dial("test", "vault"); err == nil || errors.Is(err, syscall.ENOENT) {
		t.Errorf("it looks there: %v", err)
	}
}

// TestWithoutFilesLeft: who could not be accepted while the process had all files open that it may is
// accepted later.
func TestWithoutFilesLeft(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	l, err := localsocket.Listen("test", "vault")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	accepted := make(chan error, 1)
	go func() {
		conn, err := l.Accept()
		if err == nil {
			conn.Close()
		}
		accepted <- err
	}()
	open := openAll(t)
	open[0].Close() // for this end of the connection
	conn, err := localsocket.Dial("test", "vault")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	time.Sleep(50 * time.Millisecond) // until the listener has met the error once
	for _, f := range open {
		f.Close()
	}
	select {
	case err := <-accepted:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it is never accepted")
	}
}

// openAll opens as many files as this process may, of which it lowers the number until the test ends.
func openAll(t *testing.T) (open []*os.File) {
	t.Helper()
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	fewer := before
	fewer.Cur = 64
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &fewer); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before) })
	for {
		f, err := os.Open(t.TempDir())
		if errors.Is(err, syscall.EMFILE) {
			return open
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		open = append(open, f)
	}
}
