package vault

import "golang.org/x/sys/unix"

// release takes pages of a file that is mapped for reading out of the resident
// memory. It is only advice: an error changes nothing.
func release(at, size uintptr) {
	_, _, _ = unix.Syscall(unix.SYS_MADVISE, at, size, unix.MADV_DONTNEED)
}
