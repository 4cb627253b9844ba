package files

import (
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/windows"
)

// diskFull lists the errors of a full disk.
var diskFull = []error{syscall.Errno(windows.ERROR_DISK_FULL), syscall.Errno(windows.ERROR_HANDLE_DISK_FULL)}

// onNetwork reports whether dir is on a network share or on a drive mapped to one.
func onNetwork(dir string) bool {
	volume := filepath.VolumeName(dir)
	if strings.HasPrefix(volume, `\\`) {
		return true
	}
	root, err := windows.UTF16PtrFromString(volume + `\`)
	return err == nil && windows.GetDriveType(root) == windows.DRIVE_REMOTE
}
