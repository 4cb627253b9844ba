package files

import (
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/windows"
)

// diskFull are the ways to say that there is no room: disk, quota, size of a file.
var diskFull = []error{syscall.Errno(windows.ERROR_DISK_FULL), syscall.Errno(windows.ERROR_HANDLE_DISK_FULL)}

// onNetwork reports whether dir lies on a share or a drive that stands for one.
func onNetwork(dir string) bool {
	volume := filepath.VolumeName(dir)
	if strings.HasPrefix(volume, `\\`) {
		return true
	}
	root, err := windows.UTF16PtrFromString(volume + `\`)
	return err == nil && windows.GetDriveType(root) == windows.DRIVE_REMOTE
}
