package vaultdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"keepsake/backend/atomicfile"
	"keepsake/backend/fault"
)

// Names inside a vault folder (docs/vault-format.md §1).
const (
	HeadName     = "vault.head"
	HeadCopyName = "vault.head.bak"
	DataName     = "vault.db"
	LockName     = "lock"
	BlobsName    = "blobs"
	IndexName    = "index.db" // made again from vault.db when it is lost

	MarkName      = "vault.gen"
	JournalsName  = "journal"
	SnapshotsName = "snapshots"
	TriesName     = "vault.tries"

	DamagedPrefix = DataName + ".damaged-" // of data files that were put aside
)

// BlobRefSize is the length of the reference of a blob, which its file is named after.
const BlobRefSize = 64

// Permissions of what is made in a vault folder.
const (
	DirPerm  fs.FileMode = 0o700
	FilePerm fs.FileMode = 0o600
)

// Lock makes this process the owner of the vault in dir.
func Lock(dir string) (*os.File, error) {
	f, err := Open(filepath.Join(dir, LockName), os.O_CREATE|os.O_RDWR)
	if err != nil {
		return nil, ErrFolder(dir, err)
	}
	if err := lockFile(f); err != nil {
		_ = f.Close()
		return nil, ErrBusy(err)
	}
	return f, nil
}

// IsFault reports that err has a sentence for the person already.
func IsFault(err error) bool {
	var f *fault.Error
	return errors.As(err, &f)
}

// Exists reports that dir has an entry of this name, of whatever kind.
func Exists(dir, name string) bool {
	_, err := os.Lstat(filepath.Join(dir, name))
	return err == nil
}

// Hidden returns the permission error that keeps this account from seeing whether dir
// holds a vault, nil if there is none.
func Hidden(dir string) error {
	_, err := os.Lstat(filepath.Join(dir, DataName))
	if errors.Is(err, fs.ErrPermission) {
		return err
	}
	return nil
}

// Sweep removes temporary files of a process that was killed, and snapshots that
// it was removing. The lock is held, and Check has found nothing. Beside the
// vault a killed restore leaves a folder that may be a whole vault, which holds what
// was forgotten since the backup.
func Sweep(dir string) {
	atomicfile.Tidy(filepath.Dir(dir))
	copies := filepath.Join(dir, SnapshotsName)
	folders := []string{dir, filepath.Join(dir, BlobsName), filepath.Join(dir, JournalsName), copies}
	made, _ := Generations(copies)
	for _, generation := range made {
		at := filepath.Join(copies, GenerationName(generation))
		if !Exists(at, DataName) {
			_ = RemoveAll(at)
			continue
		}
		folders = append(folders, at)
	}
	for _, folder := range folders {
		left, _ := WithPrefix(folder, atomicfile.TempPrefix)
		_ = RemoveAll(left...)
	}
}

// TimeLayout is how a time stands in the name of what is put aside.
const TimeLayout = "20060102T150405Z"

// UnusedPath is path, or, where something has that name, path with a number behind it.
func UnusedPath(path string) string {
	free := path
	for n := 2; ; n++ {
		if _, err := os.Lstat(free); err != nil {
			return free
		}
		free = fmt.Sprintf("%s-%d", path, n)
	}
}

// WithPrefix lists what a folder holds whose names begin with prefix; nothing where
// there is no folder. A pattern would not do: the name of a vault may be one.
func WithPrefix(folder, prefix string) (paths []string, err error) {
	entries, err := ReadDir(folder)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) {
			paths = append(paths, filepath.Join(folder, e.Name()))
		}
	}
	return paths, err
}

// Size is the bytes of all files below dir.
func Size(dir string) int64 {
	var size int64
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			size += info.Size()
		}
		return nil
	})
	return size
}
