//go:build !windows

package vault

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const diskFullCode = syscall.ENOSPC

// lockFile takes the lock without waiting. It goes with the process, so a
// killed one leaves none behind.
func lockFile(f *os.File) error {
	return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
}
