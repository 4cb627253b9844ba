package memwipe

import (
	"runtime"
	"testing"
)

// TestScrubsMakeNoMoreThreads: a process that is locked often has no more threads for it. Before, each
// scrub made some, and all of them kept the processors busy at the next one.
func TestScrubsMakeNoMoreThreads(t *testing.T) {
	for range 3 { // the first ones make those that are missing
		scrubRegisters()
	}
	before, _ := runtime.ThreadCreateProfile(nil)
	for range 30 {
		scrubRegisters()
	}
	if after, _ := runtime.ThreadCreateProfile(nil); after > before+5 {
		t.Errorf("30 scrubs made %d threads", after-before)
	}
}
