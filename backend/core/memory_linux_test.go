package core_test

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"keepsake/backend/core"
	"keepsake/backend/vault/vaulttest"
)

// trace is text of which no copy stands in the test itself.
func trace(i int) string { return fmt.Sprintf("zq%dtrace%012x", i%7, uint64(i+1)*0x9e3779b97f4a) }

// copies counts how often each needle stands in the memory of this process.
func copies(t *testing.T, needles [][]byte) []int {
	t.Helper()
	counts, err := vaulttest.MemoryScan(os.Getpid(), needles)
	if err != nil {
		// Hardened kernels and containers forbid it, also to oneself.
		t.Skip("SKIPPED: this process may not read its own memory: ", err)
	}
	return counts
}

// TestNothingOfALockedVaultStaysInMemory looks through the memory of this very
// process for the passphrase and for the texts of 200 memories, while the vault
// is open, to show that they would be found, and after the lock.
func TestNothingOfALockedVaultStaysInMemory(t *testing.T) {
	var wanted [][]byte
	for i := range 201 { // the last one is the passphrase
		wanted = append(wanted, vaulttest.Inverted(trace(i)))
	}
	k := bare(t, "")
	func() {
		ok(k.CreateVault(ctx, []byte(trace(200)), "test"))
		for i := range 200 {
			k.add("User likes " + trace(i))
		}
		if err := k.Lock(ctx); err != nil {
			t.Fatal(err)
		}
		pass := []byte(trace(200))
		defer clear(pass)
		if err := k.Unlock(ctx, pass); err != nil {
			t.Fatal(err)
		}
		for _, m := range k.memories(core.MemoryQuery{}) {
			ok(k.EditMemory(ctx, m.ID, core.MemoryEdit{Tags: to([]string{"seen"})}))
		}
		if err := k.WaitForIndex(ctx); err != nil {
			t.Fatal(err)
		}
		ok(k.Search(ctx, core.SearchQuery{Text: "likes", AsYouType: true}))
		if err := k.KeepDraft(ctx, core.Draft{Content: "not finished: " + trace(0)}); err != nil {
			t.Fatal(err)
		}
	}()
	count := func() (texts, passphrases int) {
		counts := copies(t, wanted)
		for _, n := range counts[:200] {
			texts += n
		}
		return texts, counts[200]
	}
	texts, passphrases := count()
	t.Logf("open: %d copies of texts, %d of the passphrase", texts, passphrases)
	if texts < 200 {
		t.Errorf("the scan finds %d copies of 200 texts in an open vault; it finds nothing", texts)
	}
	if err := k.Lock(ctx); err != nil {
		t.Fatal(err)
	}
	// What a register held when it was put aside goes with the next time that is done,
	// which a busy machine puts off.
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		if texts, passphrases = count(); texts+passphrases == 0 || time.Now().After(end) {
			break
		}
	}
	t.Logf("locked: %d copies of texts, %d of the passphrase", texts, passphrases)
	if texts+passphrases > 0 {
		t.Errorf("after the lock %d copies of texts and %d of the passphrase stay in memory", texts, passphrases)
	}
}

// Promise: what a door still held while it told of the lock is gone soon after.
func TestWhatADoorHeldAtALockGoesToo(t *testing.T) {
	needle := [][]byte{vaulttest.Inverted(trace(0))}
	k := bare(t, "")
	ok(k.CreateVault(ctx, passphrase, "test"))
	making := make(chan []byte)
	go func() { making <- bytes.Repeat([]byte(trace(0)), 4_000) }() // on a stack that is given back
	answer := <-making
	left := func() int { return copies(t, needle)[0] }
	if n := left(); n < 4_000 {
		t.Fatalf("the scan finds %d of 4,000 copies that are held", n)
	}
	if err := k.Lock(ctx); err != nil {
		t.Fatal(err)
	}
	runtime.KeepAlive(answer) // so the scrub that Lock waits for leaves it
	// The last scrub is over some four seconds after the first, on a busy machine later.
	for end := time.Now().Add(time.Minute); left() > 0; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d copies stay", left())
		}
	}
}

// Promise: what was in a vector register when a thread was interrupted goes too, also
// when those threads were in system calls at an earlier lock: a lock once counted them,
// and every later one left out as many.
func TestWhatARegisterHeldAtALockGoesToo(t *testing.T) {
	for _, elsewhere := range []int{28, 0} {
		t.Run(fmt.Sprintf("%d threads elsewhere before", elsewhere), func(t *testing.T) {
			registersGo(t, elsewhere)
		})
	}
}

func registersGo(t *testing.T, elsewhere int) {
	k := bare(t, "")
	ok(k.CreateVault(ctx, passphrase, "test"))
	if elsewhere > 0 {
		end := inSystemCalls(t, elsewhere)
		if err := k.Lock(ctx); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Second) // until the last scrub is over
		end()
		if err := k.Unlock(ctx, passphrase); err != nil {
			t.Fatal(err)
		}
	}
	var text [16]byte // as much as a register holds
	needle := [][]byte{vaulttest.Inverted(trace(0)[:len(text)])}
	for i, b := range needle[0] {
		text[i] = ^b
	}
	var stop atomic.Bool
	var ended sync.WaitGroup
	idleLast := inSystemCalls(t, elsewhere) // Go takes the thread that became idle last
	for range 28 {                          // as many as a door has
		ended.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			carry(new([16]byte), &text, &stop)
		})
	}
	time.Sleep(400 * time.Millisecond) // each is interrupted now and then
	stop.Store(true)
	ended.Wait()
	idleLast()
	clear(text[:])
	left := func() int { return copies(t, needle)[0] }
	before := left()
	if t.Logf("%d copies where threads were interrupted", before); before == 0 {
		t.Error("the scan finds nothing")
	}
	if err := k.Lock(ctx); err != nil {
		t.Fatal(err)
	}
	// The scan is interrupted as well, in which it takes the place of a copy: it is
	// not to be made often.
	stay := before
	for tries := 0; tries < 5 && stay > 0; tries++ {
		time.Sleep(3 * time.Second)
		stay = left()
	}
	if stay > 0 {
		t.Errorf("%d of %d copies stay", stay, before)
	}
}

// inSystemCalls has so many threads wait in a system call until end.
func inSystemCalls(t *testing.T, threads int) (end func()) {
	var ends [2]int
	if err := syscall.Pipe(ends[:]); err != nil {
		t.Fatal(err)
	}
	var waiting, ended sync.WaitGroup
	waiting.Add(threads)
	for range threads {
		ended.Go(func() {
			waiting.Done()
			syscall.Read(ends[0], make([]byte, 1))
		})
	}
	waiting.Wait()
	return func() {
		syscall.Close(ends[1]) // the other end reads the end of the file
		ended.Wait()
		syscall.Close(ends[0])
	}
}

// carry holds a text in a register most of the time.
//
//go:noinline
func carry(to, from *[16]byte, stop *atomic.Bool) {
	for !stop.Load() {
		*to = *from
	}
	clear(to[:])
}

// Promise: what lay at the very end of a stack, where only functions write that do not
// ask for room, goes too; also where Go has come to begin with larger stacks than it
// lies in, as it does when those in use are large.
func TestWhatTheEndOfAStackHeldGoesToo(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("most of it is overwritten here, not all")
	}
	for _, large := range []int{0, 200} {
		t.Run(fmt.Sprintf("%d large stacks", large), func(t *testing.T) {
			k := bare(t, "")
			ok(k.CreateVault(ctx, passphrase, "test"))
			var text [16]byte
			needle := [][]byte{vaulttest.Inverted(trace(0)[:len(text)])}
			for i, b := range needle[0] {
				text[i] = ^b
			}
			for range 16 { // what the collector runs on stays, and is to have its stacks before
				runtime.GC()
			}
			defer inUse(large)()
			var ended sync.WaitGroup
			for range 64 {
				ended.Go(func() {
					for frames := range 40 { // more than the smallest stack holds
						deep(frames, func() { atEnd(&text) })
					}
				})
			}
			ended.Wait()
			clear(text[:])
			left := func() int { return copies(t, needle)[0] }
			before := left()
			if t.Logf("%d copies at the ends of stacks", before); before < 64 {
				t.Error("the scan finds nothing")
			}
			if err := k.Lock(ctx); err != nil {
				t.Fatal(err)
			}
			// The last scrub is over some four seconds after the first, on a busy machine later.
			for end := time.Now().Add(time.Minute); ; time.Sleep(time.Second) {
				stay := left()
				if stay == 0 {
					break
				}
				if time.Now().After(end) {
					// One that has waited in a system call since keeps the stack that it began on.
					_ = pprof.Lookup("goroutine").WriteTo(os.Stderr, 2)
					t.Fatalf("%d of %d copies stay", stay, before)
				}
			}
		})
	}
}

// inUse has so many goroutines wait deep in their stacks until end.
func inUse(goroutines int) (end func()) {
	var waiting, ended sync.WaitGroup
	enough := make(chan struct{})
	waiting.Add(goroutines)
	for range goroutines {
		ended.Go(func() {
			deep(32, func() {
				waiting.Done()
				<-enough
			})
		})
	}
	waiting.Wait()
	return func() {
		close(enough)
		ended.Wait()
	}
}

// deep does something below so many frames.
//
//go:noinline
func deep(frames int, do func()) (n byte) {
	var frame [64]byte
	if frames > 0 {
		frame[frames] = deep(frames-1, do)
	} else {
		do()
	}
	return frame[frames/2]
}

//go:noinline
//go:nosplit
func atEnd(text *[16]byte) {
	var end [40][16]byte
	for i := range end {
		end[i] = *text
	}
	runtime.KeepAlive(&end)
}
