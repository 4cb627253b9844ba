//go:build linux || darwin

package seal

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// dontDump is MADV_DONTDUMP, which only Linux has.
const dontDump = 16

// lockedPage takes memory from the system that is not swapped out and not
// dumped. What the system refuses (a limit on locked memory, above all) is gone
// without.
func lockedPage(size int) (page []byte, giveBack func()) {
	page, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return make([]byte, size), func() {}
	}
	_ = unix.Mlock(page)
	if runtime.GOOS == "linux" {
		_ = unix.Madvise(page, dontDump)
	}
	return page, func() {
		clear(page)
		_ = unix.Munmap(page)
	}
}
