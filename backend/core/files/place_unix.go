//go:build unix

package files

import (
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// diskFull are the ways to say that there is no room: disk, quota, size of a file.
var diskFull = []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}

// fileSystem is what dir, or the folder it will be made in, lies on.
func fileSystem(dir string) (st unix.Statfs_t, ok bool) {
	for unix.Statfs(dir, &st) != nil {
		if dir == filepath.Dir(dir) {
			return st, false
		}
		dir = filepath.Dir(dir)
	}
	return st, true
}
