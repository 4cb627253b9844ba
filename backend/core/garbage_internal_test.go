package core

import (
	"runtime/debug"
	"testing"
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
