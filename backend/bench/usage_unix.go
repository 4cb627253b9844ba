//go:build unix

package bench

import (
	"syscall"
	"time"
)

// cpuStep is what processor time is counted in.
const cpuStep = time.Microsecond

// processorTime is what this process has used, user and system together.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
