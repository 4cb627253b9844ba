package collector

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
)

// percent is how much garbage may lie about now.
func percent() int {
	now := debug.SetGCPercent(100)
	debug.SetGCPercent(now)
	return now
}

// Promise: whatever order jobs end in, the collector is as it was, and while they run
// it follows the one that lets most lie about.
func TestTheCollectorIsAsItWas(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(60))
	first := Let(Wish{Garbage: 140})
	second := Let(Never)
	third := Let(Wish{Garbage: 30})
	if now := percent(); now != -1 {
		t.Errorf("while one wants nothing collected: %d", now)
	}
	first()
	first() // as good as once
	second()
	if now := percent(); now != 60 {
		t.Errorf("a wish for less than usual is followed: %d", now)
	}
	fourth := Let(Wish{Garbage: 140})
	third()
	if now := percent(); now != 140 {
		t.Errorf("with one wish left: %d", now)
	}
	fourth()
	if now := percent(); now != 60 {
		t.Errorf("at the end: %d", now)
	}
}

// Promise: a limit holds for as long as it is wished, the lowest of several.
func TestALimitIsAsItWas(t *testing.T) {
	t.Setenv("GOMEMLIMIT", "")
	now := func() int64 { return debug.SetMemoryLimit(-1) }
	first := Let(Wish{Garbage: 100, Limit: 170 << 20})
	second := Let(Wish{Garbage: 100, Limit: 150 << 20})
	third := Let(Never)
	if got := now(); got != 150<<20 {
		t.Errorf("the lower of two: %d", got)
	}
	second()
	if got := now(); got != 170<<20 {
		t.Errorf("with the higher one left: %d", got)
	}
	first()
	if got := now(); got != math.MaxInt64 {
		t.Errorf("at the end: %d", got)
	}
	third()
	t.Setenv("GOMEMLIMIT", "1GiB")
	defer Let(Wish{Limit: 150 << 20})()
	if got := now(); got != math.MaxInt64 {
		t.Errorf("where the person has set one: %d", got)
	}
}

// Promise: what takes more than the limit by itself does not make one collection follow
// the other.
func TestTheLimitFollowsWhatIsInUse(t *testing.T) {
	for _, c := range []struct{ wished, inUse, want int64 }{
		{0, limit / 2, limit},
		{0, limit, limit / 2 * 3},
		{160 << 20, 60 << 20, 160 << 20},
		{160 << 20, 100 << 20, 100<<20 + room},
		{160 << 20, 130 << 20, 130<<20 + room},
		{160 << 20, limit, limit + room},
		{160 << 20, 2 * limit, limit / 3 * 7},
	} {
		if got := limitFor(c.wished, c.inUse); got != c.want {
			t.Errorf("%d wished and %d in use: %d, want %d", c.wished, c.inUse, got, c.want)
		}
	}
}

func TestEachCollectionSetsTheLimit(t *testing.T) {
	t.Setenv("GOMEMLIMIT", "")
	end := Let(Wish{Garbage: 100, Limit: 100 << 20})
	const much = 80 << 20
	list := make([]byte, much) // never touched, so that it costs no memory
	for range 1000 {
		runtime.GC()
		if debug.SetMemoryLimit(-1) >= much+room {
			break
		}
		runtime.Gosched()
	}
	if got := debug.SetMemoryLimit(-1); got < much+room {
		t.Errorf("%d bytes are in use, the limit is %d", much, got)
	}
	runtime.KeepAlive(list)
	end()
	for range 3 {
		runtime.GC()
	}
	if got := debug.SetMemoryLimit(-1); got != math.MaxInt64 {
		t.Errorf("at the end the limit is %d", got)
	}
}

// Promise: what an import held that was large does not let as much garbage lie about
// once it has ended.
func TestTheLimitDoesNotGoByWhatAJobHeld(t *testing.T) {
	t.Setenv("GOMEMLIMIT", "")
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	end := Let(Wish{Garbage: 100, Limit: 100 << 20})
	held := make([]byte, 2*limit) // never touched, so that it costs no memory
	runtime.GC()
	if inUse() < 2*limit {
		t.Fatalf("%d bytes are in use", inUse())
	}
	runtime.KeepAlive(held)
	held = nil
	end()
	if got := inUse(); got > limit {
		t.Errorf("%d bytes are taken to be in use", got)
	}
}
