//go:build !windows

package vault_test

import (
	"os/signal"
	"syscall"
)

const canLimitFiles = true

// limitFiles makes writing beyond a size fail, as a full disk does, until lift.
func limitFiles(size uint64) (lift func() error, err error) {
	signal.Ignore(syscall.SIGXFSZ)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return nil, err
	}
	lift = func() error { return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit) }
	return lift, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: min(size, limit.Max), Max: limit.Max})
}
