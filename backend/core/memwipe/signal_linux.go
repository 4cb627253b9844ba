package memwipe

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// clearSignalStack empties this thread's stack for signals. It lies where objects and
// other stacks lay, is handed out as it was left, and lives as long as the thread; all
// but its beginning would stay as it is. A thread that is here handles no signal, or has
// done so before it goes on.
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

// interrupted has this thread take a signal that Go knows and that asks for nothing.
// What its vector registers hold is put aside on its stack for signals, so they are
// handed zeros first, as for hold.
//
//go:noinline
func interrupted(_, _, _, _, _, _, _, _, _, _, _, _, _, _, _ float64) {
	_ = unix.Tgkill(unix.Getpid(), unix.Gettid(), unix.SIGURG)
}
