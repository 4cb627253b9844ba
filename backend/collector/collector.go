// Package collector says when Go's garbage collector works: as it usually does, and
// otherwise while a job runs that is better off. There is one collector in a process, so
// what is kept here is the process's.
package collector

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"sync"
)

// garbage is how much of it may usually lie about, in per cent of what is in use,
// before it is collected: a fifth less memory than with Go's own 100.
const garbage = 60

// limit is how much memory the program usually holds before it collects more
// eagerly, in bytes.
const limit = 240 << 20

// A Wish is how a job would have it.
type Wish struct {
	Garbage int   // that may lie about, in per cent of what is in use
	Limit   int64 // memory of the program before it is collected more eagerly, in bytes; 0 for the usual
}

// Never is the wish that nothing is collected below the limit.
var Never = Wish{Garbage: math.MaxInt}

// state is what is wished now.
var state struct {
	sync.Mutex
	usual   int // per cent, while there are wishes
	wishes  []Wish
	always  bool // Keep was called
	watches bool // the next collection sets the limit anew
}

// Keep is called once, where a program begins. What the person set in GOGC or
// GOMEMLIMIT is left alone.
func Keep() {
	state.Lock()
	defer state.Unlock()
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbage)
	}
	state.always = true
	keepLimit()
}

// Let follows a wish until the answer is called. Of several, the one that lets most
// garbage lie about and the one with the lowest limit are followed, and the last to end
// puts back what was.
func Let(w Wish) (end func()) {
	state.Lock()
	defer state.Unlock()
	if len(state.wishes) == 0 {
		state.usual = asPercent(debug.SetGCPercent(-1))
	}
	state.wishes = append(state.wishes, w)
	follow()
	return sync.OnceFunc(func() {
		if w.drop() {
			runtime.GC()
		}
	})
}

// drop follows a wish no longer. It reports that so much was in use that the limit would
// go by what the job held, which is nobody's any more, until the next collection.
func (w Wish) drop() bool {
	state.Lock()
	defer state.Unlock()
	at := slices.Index(state.wishes, w)
	state.wishes = slices.Delete(state.wishes, at, at+1)
	follow()
	return w.Limit > 0 && inUse() > limit
}

// follow sets what is wished now. Go says -1 where nothing is to be collected.
func follow() {
	most := state.usual
	for _, wish := range state.wishes {
		most = max(most, wish.Garbage)
	}
	if most == Never.Garbage {
		most = -1
	}
	debug.SetGCPercent(most)
	keepLimit()
}

// keepLimit sets the limit, and again after each collection for as long as there is one.
func keepLimit() {
	if os.Getenv("GOMEMLIMIT") != "" {
		return // Go has read it
	}
	wished := lowest(state.wishes)
	if wished == 0 && !state.always {
		debug.SetMemoryLimit(math.MaxInt64)
		return
	}
	debug.SetMemoryLimit(limitFor(wished, inUse()))
	if state.watches {
		return
	}
	state.watches = true
	// What nothing points to is cleaned up with the next collection.
	runtime.AddCleanup(new([64]byte), func(struct{}) {
		state.Lock()
		defer state.Unlock()
		state.watches = false
		keepLimit()
	}, struct{}{})
}

// room is how much there is at least beyond what is in use, in bytes.
const room = 64 << 20

// limitFor is the limit where so many bytes are in use: it leaves room for half as
// much again. The lists of a vault with hundreds of thousands of memories take more than
// a limit by themselves; one collection that frees nothing would follow the other. Where
// a lower one is wished there is room for a sixth of what is in use, and for some at
// least.
func limitFor(wished, inUse int64) int64 {
	if wished > 0 {
		return max(wished, inUse+max(room, inUse/6))
	}
	return max(limit, inUse/2*3)
}

// lowest is the lowest limit that is wished, 0 for none.
func lowest(wishes []Wish) int64 {
	low := int64(0)
	for _, w := range wishes {
		if w.Limit > 0 && (low == 0 || w.Limit < low) {
			low = w.Limit
		}
	}
	return low
}

// inUse is what the last collection found in use, in bytes.
func inUse() int64 {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	return int64(live[0].Value.Uint64())
}

func asPercent(set int) int {
	if set < 0 {
		return Never.Garbage
	}
	return set
}
