//go:build unix

package localsocket

import (
	"fmt"
	"os"
	"syscall"
)

// tryLock fails when another process holds the lock; it goes with the process.
func tryLock(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}

// ownFolder refuses a folder that somebody else could have put there.
func ownFolder(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("look at folder of sockets: %w", err)
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || info.Mode().Perm()&0o077 != 0 || !ok || int(stat.Uid) != os.Getuid() {
		return fmt.Errorf("the folder %s is not only ours", dir)
	}
	return nil
}
