//go:build unix

package files

import (
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// diskFull lists the errors for no space: full disk, quota, limit of the file size.
var diskFull = []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}

// fileSystem returns the file system of dir, or of its nearest existing parent.
func fileSystem(dir string) (st unix.Statfs_t, ok bool) {
	for unix.Statfs(dir, &st) != nil {
		if dir == filepath.Dir(dir) {
			return st, false
		}
		dir = filepath.Dir(dir)
	}
	return st, true
}
