//go:build !windows

package vaultdir

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

var DiskFullCodes = [...]syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}

const readOnlyDisk = syscall.EROFS

// lockFile takes the lock without waiting. It goes with the process, so a
// killed one leaves none behind.
func lockFile(f *os.File) error {
	return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
}

// LetRename is for a folder that is about to be renamed; only Windows needs it.
func LetRename(*os.File) {}

// RemoveUnlocked does nothing: a lock file is removed while it is held, so that it is
// never another process's.
func RemoveUnlocked(*os.File) {}

// Unlock gives the lock back even where the file is still mapped, which
// closing alone does not.
func Unlock(f *os.File) { _ = unix.Flock(int(f.Fd()), unix.LOCK_UN) }
