package vaultdir

import (
	"os"

	"golang.org/x/sys/unix"
)

// Flush puts what was written over a file's bytes on the disk.
func Flush(f *os.File) error {
	for {
		if err := unix.Fdatasync(int(f.Fd())); err != unix.EINTR {
			return err
		}
	}
}
