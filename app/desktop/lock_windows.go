package desktop

import (
	"os"

	"golang.org/x/sys/windows"
)

// tryLock fails when another process holds the lock; it goes with the process.
func tryLock(f *os.File) error {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	return windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{})
}

// ownFolder has nothing to check: the temporary folder is the person's own.
func ownFolder(string) error { return nil }
