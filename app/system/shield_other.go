//go:build !linux && !windows

package system

import "golang.org/x/sys/unix"

// Shield keeps memory out of core dumps.
func Shield() {
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
}
