//go:build !unix

package bench

import (
	"syscall"
	"time"
)

// cpuStep is what processor time is counted in: Windows has 64 ticks a second.
const cpuStep = time.Second / 64

// processorTime is what this process has used, user and system together.
func processorTime() time.Duration {
	self, err := syscall.GetCurrentProcess()
	if err != nil {
		return 0
	}
	var created, ended, kernel, user syscall.Filetime
	if syscall.GetProcessTimes(self, &created, &ended, &kernel, &user) != nil {
		return 0
	}
	// These two are spans in steps of 100 ns, not dates.
	span := func(t syscall.Filetime) int64 { return int64(t.HighDateTime)<<32 | int64(t.LowDateTime) }
	return time.Duration(span(kernel)+span(user)) * 100
}
