//go:build !windows

package atomicfile

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// hold locks a file or folder for as long as it is open, and reports whether no
// other process has. Where a file system has no locks nothing is ever removed.
func hold(f *os.File) bool { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil }

// keep is hold for what was just made: only a lock that another process has is a
// reason to make it anew.
func keep(f *os.File) bool {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	return err != unix.EWOULDBLOCK && isAt(f, f.Name())
}

func openLeft(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
}

func removeHeld(_ *os.File, path string) { _ = os.RemoveAll(path) }

func lockFolder(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err == nil && !keep(f) {
		_ = f.Close()
		return nil, errTidied
	}
	return f, err
}

func unlockFolder(lock *os.File) { _ = lock.Close() }

func isOwn(info os.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}
