package memwipe

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"keepsake/backend/collector"
)

// Limits of a scrub: scrubWords is the size of the largest allocated objects, 32 KiB, in
// words of eight bytes. Of each size, at most scrubMost objects are allocated, in steps
// of scrubStep bytes. A step is larger than any span of the Go heap.
const (
	scrubWords = 32 << 10 / 8
	scrubMost  = 1 << 19
	scrubStep  = 128 << 10
)

// The number of repeated scrubs, and the delay before each. After a lock, the program
// still notifies the window or the browser, which reloads its page. For that, the program
// takes buffers from pools. These buffers still hold older answers and outlive the first
// scrub; on a busy machine, they also outlive the second. A scrub takes half a second, so
// the last scrub ends within five seconds of the lock.
const (
	scrubsAgain = 3
	scrubAgain  = 800 * time.Millisecond
)

// scrubbing is held during a scrub, because a scrub changes GOMAXPROCS for the process.
var scrubbing sync.Mutex

// Limits for stacks: of each size from leastStack to mostStack bytes, scrubStacks stacks
// are overwritten, by recursion with frames of scrubFrame bytes. Recursion stops
// scrubDepths to depths bytes before the end, in steps of scrubDepths: at which depth Go
// switches to the next size is not known. The last bytes of each stack, less than a
// kilobyte, Go reserves for functions without a stack check; overwriteBelow clears them.
const (
	scrubStacks = 256
	leastStack  = 2 << 10
	mostStack   = 32 << 10
	scrubFrame  = 160
	depths      = 1280
	scrubDepths = 256
)

// Go gives a new goroutine a stack of the average size that was in use at the last GC. It
// reuses no smaller free stacks, so old data in those would stay. So a scrub starts
// goroutines that wait on minimal stacks, someIdle more at a time and mostIdle at most,
// until new stacks have the smallest size. It usually needs someIdle+scrubStacks
// goroutines, 512; user interfaces make 1,024 early, before there are texts.
const (
	someIdle = 256
	mostIdle = 4096
)

// Limits of scrubRegisters. It overwrites the vector registers of at most scrubThreads
// threads, and gives up after scrubPatience: where the system gives many threads turns
// slowly, they would keep all processors busy for minutes. Where Go cannot preempt a busy
// loop, the loop ends after scrubTurns turns.
const (
	scrubThreads  = 256
	scrubPatience = 10 * time.Second
	scrubTurns    = 1 << 32
	turnsPerLook  = 1 << 16 // between two looks at the clock
)

// Scrubber scrubs memory after the vault was locked, and several times more in the next
// seconds, when the user interfaces have reacted to the lock.
type Scrubber struct {
	isLocked func() bool
	timer    *time.Timer  // starts each repeated scrub
	left     atomic.Int32 // number of repeated scrubs left
}

// NewScrubber returns a Scrubber that repeats scrubs only while isLocked returns true.
func NewScrubber(isLocked func() bool) *Scrubber {
	s := &Scrubber{isLocked: isLocked}
	s.timer = time.AfterFunc(scrubAgain, s.again)
	s.timer.Stop()
	return s
}

// Scrub scrubs memory once, starts the timer for the repeated scrubs, and returns.
func (s *Scrubber) Scrub() {
	scrub()
	s.left.Store(scrubsAgain)
	s.timer.Reset(scrubAgain)
}

func (s *Scrubber) again() {
	if !s.isLocked() {
		return
	}
	scrub()
	scrubRegisters()
	if s.left.Add(-1) > 0 {
		s.timer.Reset(scrubAgain)
	}
}

// Stop cancels the repeated scrubs.
func (s *Scrubber) Stop() { s.timer.Stop() }

// scrub clears all memory of the process that is not referenced any more. The garbage
// collector returns free spans to the system, which clears them, but a span with one live
// object keeps the contents of the dead objects around it. So every free slot in such
// spans is allocated once, which clears it, and freed. GOMAXPROCS(1) leaves one cache of
// spans, which no other goroutine fills. It is called before the first FreeOSMemory, as
// it makes the other processors give up cached free pages: if it were called later, the
// remaining one could take these into its own cache, out of reach of FreeOSMemory.
func scrub() {
	scrubbing.Lock()
	defer scrubbing.Unlock()
	defer debug.FreeOSMemory()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	idle := newCrowd()
	idle.add(someIdle, func() {})
	runtime.GC() // the first of two collections: a sync.Pool is empty only after the second
	debug.FreeOSMemory()
	for idle.n < mostIdle && startStack() > leastStack {
		idle.add(someIdle, func() {})
		runtime.GC()
	}
	defer collector.Pause()() // without the idle goroutines, a collection would make new stacks larger again
	idle.leave()
	places := scrubStacks + idle.n // stacks to overwrite: Go reuses ended goroutines first, with their stacks
	for size := leastStack; size <= mostStack; size *= 2 {
		for short := scrubDepths; short <= depths; short += scrubDepths {
			fillStacks(places, (size-short)/scrubFrame)
		}
		places = scrubStacks
	}
	held := make([]unsafe.Pointer, 0, scrubMost)
	for words := 1; words <= scrubWords; words += max(1, words/16) { // Go's size classes are an eighth apart
		fillSpans(held, 8*words, func() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(make([]byte, 8*words))) })
		fillSpans(held, 8*words, func() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(make([]*byte, words))) })
	}
}

// fillSpans allocates objects of size bytes, scrubStep bytes at a time, until most of
// these come from memory that was not in use before: then the free slots are used up.
func fillSpans(held []unsafe.Pointer, size int, take func() unsafe.Pointer) {
	step := scrubStep / size
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	for before := uint64(0); stats.HeapInuse < before+scrubStep*3/4 || before == 0; {
		if len(held)+step > cap(held) {
			break
		}
		before = stats.HeapInuse
		for range step {
			held = append(held, take())
		}
		runtime.ReadMemStats(&stats)
	}
	clear(held)
}

// crowd is a group of goroutines that stay alive together until leave, so that each has a
// stack of its own.
type crowd struct {
	n      int
	ended  sync.WaitGroup
	enough chan struct{}
}

func newCrowd() *crowd { return &crowd{enough: make(chan struct{})} }

// add starts goroutines that call do and then wait for leave. It returns when all have
// called do.
func (c *crowd) add(goroutines int, do func()) {
	var done sync.WaitGroup
	done.Add(goroutines)
	for range goroutines {
		c.ended.Go(func() {
			do()
			done.Done()
			<-c.enough
		})
	}
	done.Wait()
	c.n += goroutines
}

func (c *crowd) leave() {
	close(c.enough)
	c.ended.Wait()
}

// startStack returns the size in bytes that Go now gives the stack of a new goroutine.
func startStack() uint64 {
	start := []metrics.Sample{{Name: "/gc/stack/starting-size:bytes"}}
	metrics.Read(start)
	return start[0].Value.Uint64()
}

// fillStacks overwrites the stacks of as many goroutines as places says, each frames
// deep. Go takes stacks from memory that held objects, and does not clear them.
func fillStacks(places, frames int) {
	c := newCrowd()
	c.add(places, func() {
		overwrite(frames)
		overwriteBelow()
	})
	c.leave()
}

//go:noinline
func overwrite(frames int) byte {
	var frame [scrubFrame * 3 / 4]byte
	if frames > 0 {
		frame[frames%len(frame)] = overwrite(frames - 1)
	} else {
		overwriteBelow()
	}
	return frame[(frames+1)%len(frame)]
}

// scrubRegisters overwrites the vector registers that were saved when a goroutine was
// preempted: on the signal stack of the thread, in the scratch area of its P, and in a
// record that Go reuses. One goroutine per thread, each with a P of its own, holds zeros
// in these registers until a change of GOMAXPROCS preempts all of them at once. The
// goroutines wait for each other instead of for a time, because a busy machine may delay
// threads. Go makes a new thread in place of each that is busy elsewhere, such as in a
// system call; as many threads end afterwards, else every scrub would make more. How many
// are elsewhere is not remembered: at the next scrub these may be idle, with what their
// registers held. The rest of the signal stacks is cleared as well.
func scrubRegisters() {
	scrubbing.Lock()
	defer scrubbing.Unlock()
	var here, holding, surplus atomic.Int64
	var enough atomic.Bool
	var ended sync.WaitGroup
	deadline := time.Now().Add(scrubPatience)
	made, _ := runtime.ThreadCreateProfile(nil)
	threads := max(1, min(made, scrubThreads))
	processors := runtime.GOMAXPROCS(threads + 1) // one more for this goroutine
	for range threads {
		ended.Go(func() {
			wait(&here, int64(threads), deadline) // so that each goroutine has a thread of its own
			clearSignalStack()
			hold(&holding, &enough, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
			if surplus.Add(-1) >= 0 {
				runtime.LockOSThread() // a thread ends with the goroutine that it is locked to
			}
		})
	}
	for int(holding.Load()) < threads && time.Now().Before(deadline) {
		runtime.Gosched()
	}
	runtime.GOMAXPROCS(processors)
	now, _ := runtime.ThreadCreateProfile(nil)
	surplus.Store(int64(now - made))
	enough.Store(true)
	ended.Wait()
}

// wait keeps its thread busy until as many goroutines as threads have called it, or the
// deadline.
func wait(here *atomic.Int64, threads int64, deadline time.Time) {
	here.Add(1)
	for turns := 1; turns < scrubTurns && here.Load() < threads; turns++ {
		if turns%turnsPerLook == 0 && time.Now().After(deadline) {
			return
		}
	}
}

// hold keeps a thread busy until enough is set. The caller passes zeros, which Go keeps
// in vector registers, on amd64 in fifteen; one more register always holds zero. So all
// these registers hold zeros.
//
//go:noinline
func hold(holding *atomic.Int64, enough *atomic.Bool, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _ float64) {
	holding.Add(1)
	for turns := 0; turns < scrubTurns && !enough.Load(); turns++ {
	}
}
