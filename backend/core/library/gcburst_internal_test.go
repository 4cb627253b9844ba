package library

import (
	"runtime/debug"
	"testing"
	"testing/synctest"
	"time"
)

// Promise: edits that follow one another let garbage lie about, and once they end the
// collector is as it was.
func TestABurstEnds(t *testing.T) {
	// Inside synctest the clock is fake: a Sleep advances it and takes no time.
	synctest.Test(t, func(t *testing.T) {
		defer debug.SetGCPercent(debug.SetGCPercent(60))
		var s gcBurst
		now := func() int {
			synctest.Wait()
			set := debug.SetGCPercent(-1)
			debug.SetGCPercent(set)
			return set
		}
		for range 5 {
			s.renew()
			time.Sleep(burstGap / 2)
			if set := now(); set != editing.Garbage {
				t.Errorf("in a burst: %d", set)
			}
		}
		time.Sleep(burstGap)
		if set := now(); set != 60 {
			t.Errorf("after it: %d", set)
		}
		s.renew()
		if set := now(); set != editing.Garbage {
			t.Errorf("in the next: %d", set)
		}
		time.Sleep(burstGap)
	})
}
