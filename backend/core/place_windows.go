package core

import (
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/windows"
)

// diskFull is what Windows says in place of ENOSPC.
const diskFull = syscall.Errno(windows.ERROR_DISK_FULL)

// onNetwork reports whether dir lies on a share or a drive that stands for one.
func onNetwork(dir string) bool {
	volume := filepath.VolumeName(dir)
	if strings.HasPrefix(volume, `\\`) {
		return true
	}
	root, err := windows.UTF16PtrFromString(volume + `\`)
	return err == nil && windows.GetDriveType(root) == windows.DRIVE_REMOTE
}
