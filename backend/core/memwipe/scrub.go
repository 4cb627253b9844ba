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

// Of a scrub: sizes of objects go up to 32 KiB, in words of eight bytes; so many
// objects of a size are taken at most, in steps longer than any span, in bytes.
const (
	scrubWords = 32 << 10 / 8
	scrubMost  = 1 << 19
	scrubStep  = 128 << 10
)

// The number of repeated scrubs, and the delay before each. After a lock the doors still
// emit its event and serve the page as it reloads; the buffers that they take from pools
// for that hold older answers and outlive the first scrub, on a busy machine also the
// second. Each takes half a second, so the last ends within five seconds of the lock.
const (
	scrubsAgain = 3
	scrubAgain  = 800 * time.Millisecond
)

// scrubbing is held by a scrub: the number of processors is the process's.
var scrubbing sync.Mutex

// Of stacks: so many of each size up to 32 KiB, in bytes, are taken. How deep a call
// may go before Go takes the next size is not known to a frame of overwrite, so
// several depths are tried; what Go keeps free at the end of each stack, less than a
// kilobyte, is for functions that do not ask, such as the last one.
const (
	scrubStacks = 256
	leastStack  = 2 << 10
	mostStack   = 32 << 10
	scrubFrame  = 160
	depths      = 1280
	scrubDepths = 256
)

// Go begins with stacks as large as those are that are in use, at the last collection and
// on average; smaller places it would not hand out any more, and what lies there would
// stay. So as many goroutines are idle meanwhile, on hardly any stack, as are needed for
// the smallest: so many at a time, and so many in all at most. With the first of them a
// scrub has 512 goroutines at once, of the 1,024 that a door makes early.
const (
	someIdle = 256
	mostIdle = 4096
)

// Of vector registers: each thread that Go has is stirred, of many no more than these.
// Where Go does not interrupt what does not ask, each goes on after so many turns.
const (
	scrubThreads = 256
	scrubTurns   = 1 << 32
)

// Scrubber scrubs memory after a lock, and again when the doors have come to rest.
type Scrubber struct {
	isLocked func() bool
	timer    *time.Timer  // scrubs once more
	left     atomic.Int32 // so often
}

// NewScrubber makes one that scrubs again as long as isLocked says so.
func NewScrubber(isLocked func() bool) *Scrubber {
	s := &Scrubber{isLocked: isLocked}
	s.timer = time.AfterFunc(scrubAgain, s.again)
	s.timer.Stop()
	return s
}

// Scrub comes back when it was done once.
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

// Stop leaves out what was to be scrubbed again.
func (s *Scrubber) Stop() { s.timer.Stop() }

// scrub leaves nothing of what is not referred to any more in the memory of the
// process. The garbage collector gives whole spans back to the system, which
// hands them out empty; but a span with a single living object in it keeps the
// text of all the dead ones around it, for as long as the program runs. So every
// free place in such spans is taken once, which clears it, and given up again.
// With one processor there is one cache of spans, and nobody else fills it. The
// others' free pages must be back before the first giving back: no later one would
// reach those that the one left takes into its own cache.
func scrub() {
	scrubbing.Lock()
	defer scrubbing.Unlock()
	defer debug.FreeOSMemory()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	idle := newCrowd()
	idle.add(someIdle, func() {})
	runtime.GC() // pools let go of what they keep at the second collection
	debug.FreeOSMemory()
	for idle.n < mostIdle && startStack() > leastStack {
		idle.add(someIdle, func() {})
		runtime.GC()
	}
	defer collector.Let(collector.Never)() // a collection without the idle ones would begin with larger stacks again
	idle.leave()
	places := scrubStacks + idle.n // those that have left kept theirs, and are the first to come back
	for size := leastStack; size <= mostStack; size *= 2 {
		for short := scrubDepths; short <= depths; short += scrubDepths {
			fillStacks(places, (size-short)/scrubFrame)
		}
		places = scrubStacks
	}
	held := make([]unsafe.Pointer, 0, scrubMost)
	for words := 1; words <= scrubWords; words += max(1, words/16) { // classes lie an eighth apart
		fillSpans(held, 8*words, func() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(make([]byte, 8*words))) })
		fillSpans(held, 8*words, func() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(make([]*byte, words))) })
	}
}

// fillSpans takes places of one size, in bytes, until most of a step needs
// memory that was not in use before.
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

// crowd is goroutines that wait for one another's sake, each on a stack of its own.
type crowd struct {
	n      int
	ended  sync.WaitGroup
	enough chan struct{}
}

func newCrowd() *crowd { return &crowd{enough: make(chan struct{})} }

// add has so many more do something and wait, and comes back when all have done it.
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

// startStack is the size of the stacks that Go begins with now, in bytes.
func startStack() uint64 {
	start := []metrics.Sample{{Name: "/gc/stack/starting-size:bytes"}}
	metrics.Read(start)
	return start[0].Value.Uint64()
}

// fillStacks takes so many places for stacks and overwrites them, as deep as so many
// frames: stacks lie where objects lay, and are handed out as they were left.
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

// scrubRegisters overwrites what was in vector registers when a thread was
// interrupted: it stays on the thread's stack for signals, beside the processor and in
// a record that Go keeps for the next one. So as many threads as there are hold nothing
// in theirs, each with a processor of its own, until all are interrupted at once, as
// they are when the number of processors changes. Time plays no part, for a busy
// machine has threads wait. A few are at work elsewhere, in whose place others are made.
// What else lies on their stacks for signals goes as well.
func scrubRegisters() {
	scrubbing.Lock()
	defer scrubbing.Unlock()
	var here, holding atomic.Int64
	var enough atomic.Bool
	var ended sync.WaitGroup
	made, _ := runtime.ThreadCreateProfile(nil)
	threads := min(made, scrubThreads)
	processors := runtime.GOMAXPROCS(threads + 1) // one is for this
	for range threads {
		ended.Go(func() {
			wait(&here, int64(threads)) // so that each is on a thread of its own
			clearSignalStack()
			interrupted(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
			hold(&holding, &enough, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
		})
	}
	for int(holding.Load()) < threads {
		runtime.Gosched()
	}
	runtime.GOMAXPROCS(processors)
	enough.Store(true)
	ended.Wait()
}

// wait keeps a thread busy until so many are.
func wait(here *atomic.Int64, threads int64) {
	here.Add(1)
	for turns := 0; turns < scrubTurns && here.Load() < threads; turns++ {
	}
}

// hold keeps a thread busy until it is enough. Go hands its numbers over in the vector
// registers, of which amd64 uses these fifteen and a zero.
//
//go:noinline
func hold(holding *atomic.Int64, enough *atomic.Bool, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _ float64) {
	holding.Add(1)
	for turns := 0; turns < scrubTurns && !enough.Load(); turns++ {
	}
}
