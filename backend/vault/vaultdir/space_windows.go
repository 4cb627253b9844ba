package vaultdir

import "golang.org/x/sys/windows"

// FreeSpace is how many bytes may still be written to the disk of dir, and
// whether that is known.
func FreeSpace(dir string) (int64, bool) {
	path, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, false
	}
	var free uint64
	if windows.GetDiskFreeSpaceEx(path, &free, nil, nil) != nil {
		return 0, false
	}
	return int64(free), true
}
