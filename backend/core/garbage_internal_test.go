package core

import (
	"runtime/debug"
	"testing"
	"testing/synctest"
	"time"
)

// Promise: whatever order jobs end in, the collector is as it was, and while they run
// it follows the one that lets most lie about.
func TestTheCollectorIsAsItWas(t *testing.T) {
	set := func() int {
		now := debug.SetGCPercent(100)
		debug.SetGCPercent(now)
		return now
	}
	defer debug.SetGCPercent(debug.SetGCPercent(60))
	first := letLie(140)
	second := letLie(noCollecting)
	third := letLie(30)
	if now := set(); now != -1 {
		t.Errorf("while one wants nothing collected: %d", now)
	}
	first()
	first() // as good as once
	second()
	if now := set(); now != 60 {
		t.Errorf("a wish for less than usual is followed: %d", now)
	}
	fourth := letLie(140)
	third()
	if now := set(); now != 140 {
		t.Errorf("with one wish left: %d", now)
	}
	fourth()
	if now := set(); now != 60 {
		t.Errorf("at the end: %d", now)
	}
}

// Promise: edits that follow one another let garbage lie about, and once they end the
// collector is as it was.
func TestASpellEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		defer debug.SetGCPercent(debug.SetGCPercent(60))
		var s spell
		now := func() int {
			synctest.Wait()
			set := debug.SetGCPercent(-1)
			debug.SetGCPercent(set)
			return set
		}
		for range 5 {
			s.renew()
			time.Sleep(spellLasts / 2)
			if set := now(); set != editGarbage {
				t.Errorf("in a spell: %d", set)
			}
		}
		time.Sleep(spellLasts)
		if set := now(); set != 60 {
			t.Errorf("after it: %d", set)
		}
		s.renew()
		if set := now(); set != editGarbage {
			t.Errorf("in the next: %d", set)
		}
		time.Sleep(spellLasts)
	})
}
