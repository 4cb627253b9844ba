package vaultdir

import (
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

var DiskFullCodes = [...]syscall.Errno{112, 39} // ERROR_DISK_FULL, ERROR_HANDLE_DISK_FULL

const readOnlyDisk = syscall.Errno(19) // ERROR_WRITE_PROTECT

// lockFile takes the lock without waiting. It goes with the process, so a
// killed one leaves none behind.
func lockFile(f *os.File) error {
	return windows.LockFileEx(windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, new(windows.Overlapped))
}

// LetRename gives the lock of a folder back that is about to be renamed: Windows renames
// no folder in which a file is open. For the same reason the renaming fails where another
// process opened the vault meanwhile.
func LetRename(lock *os.File) { _ = lock.Close() }

// RemoveUnlocked removes the file of a lock that was given back, which Windows does not
// let go before. It stays where another process has it open.
func RemoveUnlocked(lock *os.File) { _ = os.Remove(lock.Name()) }

// Unlock does nothing: closing the file gives its lock back.
func Unlock(*os.File) {}
