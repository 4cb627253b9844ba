package core

import (
	"math"
	"runtime/debug"
	"slices"
	"sync"
	"time"
)

// importGarbage is how much garbage an import lets lie about, in per cent of what is
// in use: collected less often than usual, it takes a twentieth less processor time and
// a sixth more memory. The memory limit holds all the same.
const importGarbage = 120

// editGarbage is how much garbage edits let lie about while one follows the other. A
// collection of what a large library holds takes as long as thirty of them, and each of
// those waits for it.
const editGarbage = 200

// spellLasts is how soon an edit must follow on another to belong to the same spell.
const spellLasts = time.Second

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

// spell is a wish that lasts for as long as it is renewed.
type spell struct {
	mu   sync.Mutex
	ends *time.Timer
}

// renew begins a spell, or lets the one that is on last. It waits for nothing.
func (s *spell) renew() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ends != nil && s.ends.Stop() {
		s.ends.Reset(spellLasts)
		return
	}
	begun := make(chan func(), 1)
	go func() { begun <- letLie(editGarbage) }() // which waits for a collection that is under way
	s.ends = time.AfterFunc(spellLasts, func() { (<-begun)() })
}

func asPercent(set int) int {
	if set < 0 {
		return noCollecting
	}
	return set
}
