package app

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// memoryLimit is how much memory the program holds before it collects garbage
// more eagerly, in bytes. An import is as fast with it as without, and needs no
// more however large the export is.
const memoryLimit = 240 << 20

// limitFor is the limit where so many bytes are in use: it leaves room for half as
// much again. The lists of a vault with hundreds of thousands of memories take more
// than memoryLimit by themselves; one collection that frees nothing would follow the
// other.
func limitFor(inUse uint64) int64 { return max(memoryLimit, int64(inUse/2*3)) }

// keepLimit sets the limit, and again after each collection.
func keepLimit() {
	inUse := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(inUse)
	debug.SetMemoryLimit(limitFor(inUse[0].Value.Uint64()))
	// What nothing points to is cleaned up with the next collection.
	runtime.AddCleanup(new([64]byte), func(struct{}) { keepLimit() }, struct{}{})
}
