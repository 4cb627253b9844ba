package core

import (
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// diskFull is also what a quota says.
const diskFull = syscall.EDQUOT

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
