//go:build !windows

package vault_test

import (
	"os/signal"
	"syscall"
)

const canLimitFiles = true

// limitFiles makes writing beyond a size fail, as a full disk does.
func limitFiles(size uint64) error {
	signal.Ignore(syscall.SIGXFSZ)
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: size, Max: size})
}
