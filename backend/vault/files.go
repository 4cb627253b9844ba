package vault

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"keepsake/backend/atomicfile"
)

// Names inside a vault folder (docs/vault-format.md §1).
const (
	headName     = "vault.head"
	headCopyName = "vault.head.bak"
	dataName     = "vault.db"
	lockName     = "lock"
	blobsName    = "blobs"
)

const (
	folderPerm fs.FileMode = 0o700
	filePerm   fs.FileMode = 0o600
)

// busyAfter is how long another process's hold on the data file is waited for.
const busyAfter = 500 * time.Millisecond

// maxData bounds the data file, so that nothing can fill a disk unnoticed.
const maxData = 1 << 40

// takeLock makes this process the owner of the vault in dir.
func takeLock(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_CREATE|os.O_RDWR, filePerm)
	if err != nil {
		return nil, errFolder(dir, err)
	}
	if err := lockFile(f); err != nil {
		_ = f.Close()
		return nil, errBusy(err)
	}
	return f, nil
}

// openData opens the data file, which must exist when it is not being made.
func openData(path string) (db *bbolt.DB, err error) {
	err = sheltered(func() error {
		db, err = bbolt.Open(path, filePerm, &bbolt.Options{
			Timeout:      busyAfter,
			FreelistType: bbolt.FreelistMapType,
			MaxSize:      maxData,
			NoStatistics: true,
		})
		return err
	})
	switch {
	case err == nil:
		return db, nil
	case errors.Is(err, berrors.ErrTimeout):
		return nil, errBusy(err)
	case errors.Is(err, fs.ErrPermission):
		return nil, errFolder(filepath.Dir(path), err)
	case diskFull(err):
		return nil, errDiskFull(err)
	}
	return nil, errDataDamaged(fmt.Errorf("open data file: %w", err))
}

func exists(dir, name string) bool {
	_, err := os.Lstat(filepath.Join(dir, name))
	return err == nil
}

// sweep removes temporary files of a process that was killed. The lock is held.
func sweep(dir string) {
	for _, pattern := range []string{dir, filepath.Join(dir, blobsName), filepath.Join(dir, blobsName, "*")} {
		left, _ := filepath.Glob(filepath.Join(pattern, atomicfile.TempPrefix+"*"))
		for _, name := range left {
			_ = os.Remove(name)
		}
	}
}

// folderSize is the bytes of all files below dir.
func folderSize(dir string) int64 {
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
