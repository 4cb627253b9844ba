package core

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// largePage is what the kernel has for whole pieces of memory on most machines; with
// other sizes it does as it likes.
const largePage = 2 << 20

// inLargePages asks for large pages behind memory that is about to be filled. In
// small ones each 4 KiB is handed out by itself, which takes longer than writing
// them. Where the kernel has none to give, all is as before.
func inLargePages[T any](block []T) {
	if len(block) == 0 {
		return
	}
	first := uintptr(unsafe.Pointer(unsafe.SliceData(block)))
	whole := -first % largePage // to the first border
	size := uintptr(len(block)) * unsafe.Sizeof(block[0])
	if size < whole+largePage {
		return
	}
	all := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(block))), size)
	_ = unix.Madvise(all[whole:size-(size-whole)%largePage], unix.MADV_HUGEPAGE)
}
