//go:build !windows

package vaultdir

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// openFile opens no link, and does not wait for the other end of a pipe.
func openFile(path string, flag int) (*os.File, error) {
	return os.OpenFile(path, flag|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, FilePerm)
}

// isLinkError reports what opening answers for a link (ELOOP; FreeBSD EMLINK), and
// for a socket or a pipe that nobody reads (ENXIO).
func isLinkError(err error) bool {
	return errors.Is(err, syscall.ELOOP) || errors.Is(err, syscall.EMLINK) || errors.Is(err, syscall.ENXIO)
}

// isForeign reports that a file belongs to neither who runs this process nor the
// owner of the folder it is in, who could replace it anyway (docs/decisions/0056).
func isForeign(path string, info os.FileInfo) bool {
	owner, known := ownerOf(info)
	if !known || owner == os.Geteuid() {
		return false
	}
	folder, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return true
	}
	of, known := ownerOf(folder)
	return known && of != owner
}

func ownerOf(info os.FileInfo) (uid int, known bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(st.Uid), true
}

// hasSecondName reports a file with more than one hard link.
func hasSecondName(_ *os.File, info os.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Nlink > 1
}
