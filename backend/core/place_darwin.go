package core

import (
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// diskFull are the ways to say that there is no room: disk, quota, size of a file.
var diskFull = []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}

// onNetwork reports whether dir, or the folder it will be made in, lies on a
// volume that is not of this computer.
func onNetwork(dir string) bool {
	var st unix.Statfs_t
	for unix.Statfs(dir, &st) != nil {
		if dir == filepath.Dir(dir) {
			return false
		}
		dir = filepath.Dir(dir)
	}
	return st.Flags&unix.MNT_LOCAL == 0
}
