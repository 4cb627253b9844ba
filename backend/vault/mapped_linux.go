package vault

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// mappedFiles is how many bytes of files are in the resident memory of this process.
func mappedFiles() (bytes int64, known bool) {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, false
	}
	var size, resident, shared int64 // pages
	if _, err := fmt.Sscan(string(text), &size, &resident, &shared); err != nil {
		return 0, false
	}
	return shared * int64(os.Getpagesize()), true
}

// release takes pages of a file that is mapped for reading out of the resident
// memory. It is only advice: an error changes nothing.
func release(at, size uintptr) {
	_, _, _ = unix.Syscall(unix.SYS_MADVISE, at, size, unix.MADV_DONTNEED)
}
