package atomicfile

import (
	"errors"
	"io/fs"
	"os"
)

// On Windows a file that a process has open cannot be removed, which serves as its
// lock. The lock of a folder is such a file beside it, since a folder in which a file is
// open could not be renamed.

// lockSuffix follows the name of a folder in that of its lock.
const lockSuffix = ".lock"

func hold(*os.File) bool { return true }

func keep(*os.File) bool { return true }

func openLeft(path string) (*os.File, error) { return os.Open(path) }

func removeHeld(f *os.File, path string) {
	info, err := f.Stat()
	if err != nil {
		return
	}
	_ = f.Close()
	if !info.IsDir() {
		_ = os.Remove(path)
		return
	}
	if err := os.Remove(path + lockSuffix); err == nil || errors.Is(err, fs.ErrNotExist) {
		_ = os.RemoveAll(path)
	}
}

func lockFolder(path string) (*os.File, error) {
	lock, err := os.OpenFile(path+lockSuffix, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(path); err != nil { // another process tidied it away before it was locked
		unlockFolder(lock)
		return nil, errTidied
	}
	return lock, nil
}

func unlockFolder(lock *os.File) {
	_ = lock.Close()
	_ = os.Remove(lock.Name())
}

func isOwn(os.FileInfo) bool { return true }
