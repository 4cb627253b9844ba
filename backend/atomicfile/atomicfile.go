package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Write writes path through a temporary file in the same folder. The name
// appears, replacing what was there, only when write and the flush succeeded.
func Write(path string, perm fs.FileMode, write func(io.Writer) error) error {
	return writeTo(Create, path, perm, write)
}

// WriteNew is Write through New.
func WriteNew(path string, perm fs.FileMode, write func(io.Writer) error) error {
	return writeTo(New, path, perm, write)
}

func writeTo(create func(string, fs.FileMode) (*File, error), path string, perm fs.FileMode, write func(io.Writer) error) error {
	f, err := create(path, perm)
	if err != nil {
		return err
	}
	defer f.Abort()
	if err := write(f); err != nil {
		return err
	}
	return f.Commit()
}

// File is a file that has no name yet. It is not safe for concurrent writers.
// Exactly one of Commit and Abort decides about it; Abort after Commit does
// nothing, so it may be deferred.
type File struct {
	*os.File // Name is the temporary name; writing, seeking and ReadAt work as usual
	path     string
	perm     fs.FileMode
	done     bool
}

// Create opens a new temporary file (O_EXCL, 0600) beside path. The folder
// must exist; its owner removes what is left in it after a kill. New is for folders
// that hold other things as well.
func Create(path string, perm fs.FileMode) (*File, error) {
	f, err := os.CreateTemp(filepath.Dir(path), TempPrefix+filepath.Base(path)+"-*")
	if err != nil {
		return nil, fmt.Errorf("create temporary file: %w", err)
	}
	return &File{File: f, path: path, perm: perm}, nil
}

// TempPrefix starts the name of every temporary file, so that leftovers of a
// killed process can be recognised.
const TempPrefix = ".tmp-"

// Commit flushes the file to the disk, closes it, and gives it its name. After
// an error nothing is left behind.
func (f *File) Commit() error { return f.CommitAs(f.path) }

// CommitAs is Commit under another name in the same folder, for files whose
// name is only known once they are written.
func (f *File) CommitAs(path string) error {
	if f.done {
		return errors.New("commit file: already decided")
	}
	if err := f.finish(path); err != nil {
		f.Abort()
		return err
	}
	f.done = true
	return SyncDir(filepath.Dir(path))
}

func (f *File) finish(path string) error {
	if err := f.Chmod(f.perm); err != nil {
		return fmt.Errorf("set permissions: %w", err)
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("flush file: %w", err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("close file: %w", err)
	}
	if err := Rename(f.Name(), path); err != nil {
		return fmt.Errorf("name file: %w", err)
	}
	return nil
}

// Leave closes the file as it is, not flushed and without a name, to be decided
// about later: many files that wait cost no open handles.
func (f *File) Leave() (*Left, error) {
	if f.done {
		return nil, errors.New("leave file: already decided")
	}
	if err := f.Chmod(f.perm); err != nil {
		return nil, fmt.Errorf("set permissions: %w", err)
	}
	if err := f.Close(); err != nil {
		return nil, fmt.Errorf("close file: %w", err)
	}
	f.done = true
	return &Left{f.Name()}, nil
}

// Left is a written file that has no name yet and is not flushed.
type Left struct{ temp string }

// CommitAs flushes the file and gives it its name in the same folder. The
// folder is left to the caller to flush, once for many files. After an error
// nothing is left behind.
func (l *Left) CommitAs(path string) error {
	f, err := os.OpenFile(l.temp, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("open temporary file: %w", err)
	}
	if err = f.Sync(); err != nil {
		err = fmt.Errorf("flush file: %w", err)
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = Rename(l.temp, path)
	}
	if err != nil {
		l.Abort()
	}
	return err
}

// Abort removes the file.
func (l *Left) Abort() { _ = Remove(l.temp) }

// Abort closes and removes the temporary file.
func (f *File) Abort() {
	if f.done {
		return
	}
	f.done = true
	_ = f.Close()
	_ = Remove(f.Name())
}
