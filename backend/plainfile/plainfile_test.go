//go:build !windows

package plainfile_test

import (
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"keepsake/backend/fault"
	"keepsake/backend/plainfile"
)

func TestWhatIsNoFileIsRefused(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(pipe, link); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	socket, err := net.Listen("unix", "socket")
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	for _, path := range []string{pipe, link, dir, "socket", "/dev/zero", "/dev/random", "/dev/null"} {
		_, err := plainfile.Open(path)
		if fault.From(err).Reason != "not-a-plain-file" {
			t.Errorf("%s: %v", path, err)
		}
		_, err = plainfile.OpenStream(path)
		want := "not-a-plain-file"
		if path == pipe || path == link {
			want = "pipe-without-writer"
		}
		in, _ := os.Stdin.Stat()
		if at, _ := os.Stat(path); os.SameFile(in, at) {
			continue // standard input, on purpose
		}
		if fault.From(err).Reason != want {
			t.Errorf("%s as a stream: %v", path, err)
		}
	}
	if _, err := plainfile.Open(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// Promise: a pipe that somebody has open for writing is read to its end, however
// late its first byte comes.
func TestPipesWithAWriterAreRead(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, late := range map[string]bool{"written before": false, "written after": true} {
		w, err := os.OpenFile(pipe, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		write := func() {
			_, _ = io.WriteString(w, "what was said\n")
			_ = w.Close()
		}
		if !late {
			if _, err := io.WriteString(w, "what was said\n"); err != nil {
				t.Fatal(err)
			}
		}
		r, err := plainfile.OpenStream(pipe)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if late {
			write()
		} else {
			_ = w.Close()
		}
		got, err := io.ReadAll(r)
		if err != nil || string(got) != "what was said\n" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		_ = r.Close()
	}
}

func TestRegularFilesAreOpened(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(path, []byte("text"), 0o600), os.Symlink(path, link)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, link} {
		f, err := plainfile.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(f)
		if err != nil || string(got) != "text" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		_ = f.Close()
	}
}
