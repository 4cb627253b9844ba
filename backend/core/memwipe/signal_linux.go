package memwipe

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// clearSignalStack clears the signal stack of this thread. Go allocates it from memory
// that held objects and other stacks, does not clear it, and keeps it as long as the
// thread; signals overwrite only its beginning. No signal handler of this thread runs
// meanwhile: a handler would have ended before this code goes on.
func clearSignalStack() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var stack struct {
		begin unsafe.Pointer
		flags int32
		size  uintptr
	}
	_, _, failed := unix.RawSyscall(unix.SYS_SIGALTSTACK, 0, uintptr(unsafe.Pointer(&stack)), 0)
	if failed == 0 && stack.flags == 0 { // there is one, and it is not in use
		clear(unsafe.Slice((*byte)(stack.begin), stack.size))
	}
}
