// Package collector says when Go's garbage collector works. There is one in a process, so
// what is kept here is the process's.
package collector

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// garbage is how much of it may lie about, in per cent of what is in use, before it is
// collected: twice Go's own, so that imports and bursts of edits take less processor time.
const garbage = 200

// limit is how much memory the program usually holds before it collects more
// eagerly, in bytes.
const limit = 240 << 20

// pauses counts those that have not ended, and what is set again after the last.
var pauses struct {
	sync.Mutex
	n       int
	percent int
}

// Keep is called once, where a program begins. What the person set in GOGC or
// GOMEMLIMIT is left alone.
func Keep() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbage)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		keepLimit()
	}
}

// Pause has nothing collected below the limit until resume is called. Pauses may overlap.
func Pause() (resume func()) {
	pauses.Lock()
	defer pauses.Unlock()
	if pauses.n == 0 {
		pauses.percent = debug.SetGCPercent(-1)
	}
	pauses.n++
	return sync.OnceFunc(func() {
		pauses.Lock()
		defer pauses.Unlock()
		if pauses.n--; pauses.n == 0 {
			debug.SetGCPercent(pauses.percent)
		}
	})
}

// keepLimit sets the limit now and after each collection.
func keepLimit() {
	debug.SetMemoryLimit(limitFor(inUse()))
	// What nothing points to is cleaned up with the next collection.
	runtime.AddCleanup(new([64]byte), func(struct{}) { keepLimit() }, struct{}{})
}

// limitFor is the limit where so many bytes are in use: it leaves room for half as
// much again. The lists of a vault with hundreds of thousands of memories take more than
// a limit by themselves; one collection that frees nothing would follow the other.
func limitFor(inUse int64) int64 { return max(limit, inUse/2*3) }

// inUse is what the last collection found in use, in bytes.
func inUse() int64 {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	return int64(live[0].Value.Uint64())
}
