package seal

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// flagsAt are the flags that the system has for the memory at an address.
func flagsAt(t *testing.T, at uintptr) []string {
	t.Helper()
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Skip("SKIPPED: the system does not say how memory is kept: ", err)
	}
	defer f.Close()
	inside := false
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var from, to uintptr
		if _, err := fmt.Sscanf(lines.Text(), "%x-%x ", &from, &to); err == nil {
			inside = from <= at && at < to
		}
		if flags, is := strings.CutPrefix(lines.Text(), "VmFlags: "); is && inside {
			return strings.Fields(flags)
		}
	}
	t.Fatal("the memory of the key is nowhere")
	return nil
}

// Promise: master key and data keys lie in memory that is neither swapped out
// nor dumped, many or few, and are zeros once wiped; the memory goes with them.
func TestKeysAreLockedIntoMemory(t *testing.T) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_MEMLOCK, &limit); err != nil || limit.Cur < 1<<16 {
		t.Skip("SKIPPED: no memory may be locked here")
	}
	_, k, _, err := NewHeader(HeaderOptions{Cipher: AES256GCM, KDF: TestKDF(), Passphrase: []byte("a long passphrase"), Now: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	for version := range uint32(300) { // more than a page takes
		if _, err := k.NewEpoch(version+1, 0); err != nil {
			t.Fatal(err)
		}
	}
	all := append([]*[keySize]byte{k.master}, k.epochs[1], k.epochs[150], k.epochs[300])
	for i, key := range all {
		flags := flagsAt(t, uintptr(unsafe.Pointer(key)))
		if !slices.Contains(flags, "lo") || !slices.Contains(flags, "dd") {
			t.Errorf("key %d lies in memory with the flags %v", i, flags)
		}
		if *key == [keySize]byte{} {
			t.Errorf("key %d is empty", i)
		}
	}
	k.Wipe()
	for i, key := range all {
		if *key != [keySize]byte{} {
			t.Errorf("key %d is not wiped", i)
		}
	}
	runtime.KeepAlive(k)
}

// Promise: who unlocks and locks all day does not run out of memory that can be
// locked.
func TestLockedMemoryIsGivenBack(t *testing.T) {
	lockedKiB := func() (n int) {
		raw, err := os.ReadFile("/proc/self/status")
		if err != nil {
			t.Skip("SKIPPED: the system does not say how much is locked: ", err)
		}
		_, rest, _ := strings.Cut(string(raw), "VmLck:")
		_, _ = fmt.Sscan(rest, &n)
		return n
	}
	for range 500 {
		newKeys(AES256GCM, []byte("vault")).Wipe()
	}
	if lockedKiB() == 0 {
		t.Skip("SKIPPED: no memory may be locked here")
	}
	for range 100 { // cleanups run on a goroutine of their own, some time after a collection
		runtime.GC()
		if lockedKiB() < 500*keyPage/1024/2 {
			return
		}
		time.Sleep(10 * time.Millisecond) // it is waited for the runtime, which tells nobody when it is done
	}
	t.Errorf("%d KiB stay locked", lockedKiB())
}
