package collector

import (
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

// Promise: whatever order pauses end in, the collector is as it was, and until the last
// has ended nothing is collected.
func TestTheCollectorIsAsItWas(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(60))
	first := Pause()
	second := Pause()
	first()
	first() // as good as once
	if now := percent(); now != -1 {
		t.Errorf("while one wants nothing collected: %d", now)
	}
	second()
	if now := percent(); now != 60 {
		t.Errorf("at the end: %d", now)
	}
	Pause()()
	if now := percent(); now != 60 {
		t.Errorf("after another: %d", now)
	}
}

// Promise: what the person set is left alone.
func TestTheirLimitStands(t *testing.T) {
	t.Setenv("GOMEMLIMIT", "1GiB")
	t.Setenv("GOGC", "off")
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // no collection, which would set the limit of another test
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 30))
	Keep()
	if got := debug.SetMemoryLimit(-1); got != 1<<30 {
		t.Errorf("the limit: %d", got)
	}
	if now := percent(); now != -1 {
		t.Errorf("the per cent: %d", now)
	}
}

// Promise: what takes more than the limit by itself does not make one collection follow
// the other.
func TestTheLimitFollowsWhatIsInUse(t *testing.T) {
	for _, c := range []struct{ inUse, want int64 }{
		{limit / 2, limit},
		{limit, limit / 2 * 3},
		{2 * limit, 3 * limit},
	} {
		if got := limitFor(c.inUse); got != c.want {
			t.Errorf("%d in use: %d, want %d", c.inUse, got, c.want)
		}
	}
}

func TestEachCollectionSetsTheLimit(t *testing.T) {
	t.Setenv("GOMEMLIMIT", "")
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	Keep()
	const much = 2 * limit
	list := make([]byte, much) // never touched, so that it costs no memory
	collect := func(done func(set int64) bool) (set int64) {
		for range 1000 {
			runtime.GC()
			if set = debug.SetMemoryLimit(-1); done(set) {
				break
			}
			runtime.Gosched()
		}
		return set
	}
	if got := collect(func(set int64) bool { return set >= much/2*3 }); got < much/2*3 {
		t.Errorf("%d bytes are in use, the limit is %d", much, got)
	}
	runtime.KeepAlive(list)
	if got := collect(func(set int64) bool { return set == limit }); got != limit {
		t.Errorf("at the end the limit is %d", got)
	}
}
