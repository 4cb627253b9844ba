package app

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
)

// TestTheLimitFollowsWhatIsInUse: lists that take more than the limit by themselves
// must not make one collection follow the other.
func TestTheLimitFollowsWhatIsInUse(t *testing.T) {
	defer debug.SetMemoryLimit(math.MaxInt64)
	if got := limitFor(memoryLimit / 2); got != memoryLimit {
		t.Errorf("half of it in use, the limit is %d", got)
	}
	keepLimit()
	const much = memoryLimit * 5 / 4
	lists := make([]byte, much) // never touched, so that it costs no memory
	for range 1000 {
		runtime.GC() // each sets the limit anew
		if debug.SetMemoryLimit(-1) >= much*3/2 {
			break
		}
		runtime.Gosched()
	}
	if got := debug.SetMemoryLimit(-1); got < much*3/2 {
		t.Errorf("%d bytes are in use, the limit is %d", much, got)
	}
	runtime.KeepAlive(lists)
}
