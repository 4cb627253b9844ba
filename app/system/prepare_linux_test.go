package system_test

import (
	"os"
	"runtime"
	"sync"
	"testing"

	"keepsake/app/system"
)

// Promise: once the threads are made, work that is held up by the operating system
// in many places at once needs no other.
func TestPrepare(t *testing.T) {
	system.Prepare()
	before := threads(t)
	if before < runtime.GOMAXPROCS(0)+20 {
		t.Fatalf("%d threads were made", before)
	}
	var held, ended sync.WaitGroup
	enough := make(chan struct{})
	for range 20 {
		held.Add(1)
		ended.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			held.Done()
			<-enough
		})
	}
	held.Wait()
	if now := threads(t); now != before {
		t.Errorf("%d threads became %d", before, now)
	}
	close(enough)
	ended.Wait()
}

func threads(t *testing.T) int {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	return len(tasks)
}
