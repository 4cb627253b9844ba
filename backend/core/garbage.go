package core

import (
	"math"
	"runtime/debug"
	"slices"
	"sync"
)

// importGarbage is how much garbage an import lets lie about, in per cent of what is
// in use: collected less often than usual, it takes a twentieth less processor time and
// a sixth more memory. The memory limit holds all the same.
const importGarbage = 120

// noCollecting is the wish that nothing is collected at all.
const noCollecting = math.MaxInt

// lying is what jobs that run now wish of Go's collector, which is the process's: the
// one that lets most lie about is followed, and the last to end puts back what was.
var lying struct {
	sync.Mutex
	usual  int
	wishes []int
}

// letLie lets so many per cent of garbage lie about until the answer is called.
func letLie(percent int) (end func()) {
	lying.Lock()
	defer lying.Unlock()
	if len(lying.wishes) == 0 {
		lying.usual = asPercent(debug.SetGCPercent(-1))
	}
	lying.wishes = append(lying.wishes, percent)
	follow()
	return sync.OnceFunc(func() {
		lying.Lock()
		defer lying.Unlock()
		at := slices.Index(lying.wishes, percent)
		lying.wishes = slices.Delete(lying.wishes, at, at+1)
		follow()
	})
}

// follow sets what is wished now. Go says -1 where nothing is to be collected.
func follow() {
	most := lying.usual
	for _, wish := range lying.wishes {
		most = max(most, wish)
	}
	if most == noCollecting {
		most = -1
	}
	debug.SetGCPercent(most)
}

func asPercent(set int) int {
	if set < 0 {
		return noCollecting
	}
	return set
}
