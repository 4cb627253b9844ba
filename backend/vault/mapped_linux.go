package vault

import (
	"bytes"
	"math"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// mappedFiles is how many bytes of files are in the resident memory of this process;
// more than there can be where that is not told.
func mappedFiles() int64 {
	text, _ := os.ReadFile("/proc/self/statm")
	fields := bytes.Fields(text) // pages: size, resident, of these of files
	if len(fields) < 3 {
		return math.MaxInt64
	}
	pages, err := strconv.ParseInt(string(fields[2]), 10, 64)
	if err != nil {
		return math.MaxInt64
	}
	return pages * int64(os.Getpagesize())
}

// release takes pages of a file that is mapped for reading out of the resident
// memory. It is only advice: an error changes nothing.
func release(at, size uintptr) {
	_, _, _ = unix.Syscall(unix.SYS_MADVISE, at, size, unix.MADV_DONTNEED)
}
