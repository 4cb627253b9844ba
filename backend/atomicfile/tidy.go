package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"keepsake/backend/product"
)

// ourPrefix starts the names of temporary files and folders outside a vault, too,
// where other programs may have some that start with TempPrefix.
const ourPrefix = TempPrefix + product.Program + "-"

// longestName is how many bytes of a file's name its temporary name repeats, so
// that it is no longer than names may be.
const longestName = 100

// tempPattern is the pattern of temporary names for a path (os.CreateTemp).
func tempPattern(path string) string {
	name := strings.ReplaceAll(filepath.Base(path), "*", "")
	if len(name) > longestName {
		name = strings.ToValidUTF8(name[:longestName], "")
	}
	return ourPrefix + name + "-*"
}

// Tidy removes from a folder what processes that were killed left there: files and
// folders with a temporary name of ours, of this user, and locked by no process. It
// is done on the way and never in the way.
func Tidy(folder string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ourPrefix) && (e.Type().IsRegular() || e.IsDir()) {
			removeLeft(filepath.Join(folder, e.Name()))
		}
	}
}

func removeLeft(path string) {
	info, err := os.Lstat(path) // a list of a folder does not say everywhere which file it is
	if err != nil || !Identify(info) || !isOwn(info) {
		return
	}
	f, err := openLeft(path)
	if err != nil {
		return
	}
	defer f.Close()
	opened, err := f.Stat()
	if err != nil || !os.SameFile(info, opened) || !hold(f) {
		return
	}
	removeHeld(f, path)
}

// New is Create in a folder that holds other things as well: what killed processes
// left there goes first, and the file is locked until it has its name.
func New(path string, perm fs.FileMode) (*File, error) {
	folder := filepath.Dir(path)
	Tidy(folder)
	for range heldTries {
		f, err := os.CreateTemp(folder, tempPattern(path))
		if err != nil {
			return nil, fmt.Errorf("create temporary file: %w", err)
		}
		if keep(f) {
			return &File{File: f, path: path, perm: perm}, nil
		}
		_ = f.Close()
	}
	return nil, errTidied
}

// Folder is a folder under a temporary name, which Tidy spares until Close.
type Folder struct {
	Path string
	lock *os.File
}

// NewFolder makes an empty folder (0700) beside path. Whoever makes it renames it or
// removes it.
func NewFolder(path string) (*Folder, error) {
	parent := filepath.Dir(path)
	Tidy(parent)
	for range heldTries {
		made, err := os.MkdirTemp(parent, tempPattern(path))
		if err != nil {
			return nil, fmt.Errorf("create temporary folder: %w", err)
		}
		lock, err := lockFolder(made)
		if err == nil {
			return &Folder{made, lock}, nil
		}
		_ = os.Remove(made)
	}
	return nil, errTidied
}

// Close unlocks the folder, which may have been renamed or removed meanwhile.
func (d *Folder) Close() { unlockFolder(d.lock) }

// heldTries is how often something new is made that another process tidied away
// before it was locked.
const heldTries = 10

var errTidied = errors.New("create temporary file: removed by another process")

// Identify has info know which file it is of; it reports false where that file is gone.
// On Windows os.Lstat learns only a path, and os.SameFile looks there who is at it by
// then, which may be another file.
func Identify(info os.FileInfo) bool { return os.SameFile(info, info) }

// isAt reports that an open file still has the name.
func isAt(f *os.File, path string) bool {
	opened, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(path)
	return err == nil && os.SameFile(opened, named)
}
