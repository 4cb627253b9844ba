package bench

import (
	"os"

	"golang.org/x/sys/unix"
)

// flushData puts what was written over a file's bytes on the disk.
func flushData(f *os.File) error {
	for {
		if err := unix.Fdatasync(int(f.Fd())); err != unix.EINTR {
			return err
		}
	}
}
