package system

import (
	"runtime"
	"sync"
)

// So many threads are made beside one for each processor, and so many goroutines:
// more than are at work at once, 512 of a scrub after a lock among them.
const (
	spareThreads = 24
	goroutines   = 1024
)

// Prepare has Go make its threads and the records of its goroutines while there is
// nothing to hide yet. They are never given back, a thread's stack for signals is
// taken from free memory as it was left, and so are the ends of places: made while a
// vault is open, they would keep texts for as long as the program runs. Go makes no
// others while these are idle. The same holds for what its collector runs on.
func Prepare() {
	var made, ended sync.WaitGroup
	enough := make(chan struct{})
	threads := runtime.GOMAXPROCS(0) + spareThreads
	for i := range goroutines {
		made.Add(1)
		ended.Go(func() {
			if i < threads {
				runtime.LockOSThread() // the next one needs another thread
				defer runtime.UnlockOSThread()
			}
			made.Done()
			<-enough
		})
	}
	made.Wait()
	close(enough)
	ended.Wait()
	runtime.GC()
}
