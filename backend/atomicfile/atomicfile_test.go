package atomicfile_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"keepsake/backend/atomicfile"
)

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func say(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// Promise: the new content stands under the name, with the permissions asked
// for, and nothing beside it.
func TestWriteReplaces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, text := range []string{"first", "second"} {
		if err := atomicfile.Write(path, 0o600, say(text)); err != nil {
			t.Fatal(err)
		}
		if got := read(t, path); got != text {
			t.Fatalf("got %q, want %q", got, text)
		}
	}
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Fatalf("permissions %v, %v", info.Mode(), err)
	}
	if all := names(t, filepath.Dir(path)); len(all) != 1 {
		t.Fatalf("left beside it: %v", all)
	}
}

// Promise: a failure in the middle leaves the old file and no trace.
func TestFailureKeepsTheOldFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := atomicfile.Write(path, 0o644, say("old")); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken pipe")
	err := atomicfile.Write(path, 0o644, func(w io.Writer) error {
		_ = say("new, but only h")(w)
		return broken
	})
	if !errors.Is(err, broken) {
		t.Fatalf("got %v", err)
	}
	if got := read(t, path); got != "old" {
		t.Fatalf("the file became %q", got)
	}
	if all := names(t, filepath.Dir(path)); len(all) != 1 {
		t.Fatalf("left beside it: %v", all)
	}
}

func TestMissingFolder(t *testing.T) {
	err := atomicfile.Write(filepath.Join(t.TempDir(), "no", "file"), 0o644, say(""))
	if !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("got %v", err)
	}
}

// Promise: a file can be read back and checked before it gets its name, and
// nobody sees it before.
func TestCreateThenCommit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "export")
	f, err := atomicfile.Create(path, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Abort()
	if _, err := io.WriteString(f, "to be verified"); err != nil {
		t.Fatal(err)
	}
	back := make([]byte, 2)
	if _, err := f.ReadAt(back, 3); err != nil || string(back) != "be" {
		t.Fatalf("read back %q, %v", back, err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("it has its name already: %v", err)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	f.Abort() // decided already
	if got := read(t, path); got != "to be verified" {
		t.Fatalf("got %q", got)
	}
	if err := f.Commit(); err == nil {
		t.Fatal("it commits twice")
	}
}

func TestCommitAs(t *testing.T) {
	dir := t.TempDir()
	f, err := atomicfile.Create(filepath.Join(dir, "unnamed"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.CommitAs(filepath.Join(dir, "named by its content")); err != nil {
		t.Fatal(err)
	}
	if all := names(t, dir); len(all) != 1 || all[0] != "named by its content" {
		t.Fatalf("found %v", all)
	}
}

func TestAbortLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	f, err := atomicfile.Create(filepath.Join(dir, "file"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	f.Abort()
	if all := names(t, dir); len(all) != 0 {
		t.Fatalf("left behind: %v", all)
	}
}

// Promise: where the name cannot be given, nothing is left either.
func TestNameTaken(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "folder")
	if err := os.MkdirAll(filepath.Join(path, "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Write(path, 0o600, say("x")); err == nil {
		t.Fatal("it replaced a folder")
	}
	if all := names(t, dir); len(all) != 1 {
		t.Fatalf("left beside it: %v", all)
	}
}
