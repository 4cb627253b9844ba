//go:build !windows

package vaultdir

import "golang.org/x/sys/unix"

// FreeSpace is how many bytes may still be written to the disk of dir, and
// whether that is known.
func FreeSpace(dir string) (int64, bool) {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil {
		return 0, false
	}
	return int64(st.Bavail) * int64(st.Bsize), true
}
