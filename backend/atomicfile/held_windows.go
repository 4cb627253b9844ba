package atomicfile

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// heldMost is how long a rename or a removal waits for somebody to close a file.
const heldMost = 2 * time.Second

// Rename is os.Rename that waits a little for a file that somebody has open, which
// Windows does not let go of its name: virus scanners and indexers open what was just
// written, each for a moment.
func Rename(from, to string) error {
	return whileHeld(to, func() error { return os.Rename(from, to) })
}

// Remove is os.Remove that waits in the same way.
func Remove(path string) error {
	return whileHeld(path, func() error { return os.Remove(path) })
}

// RemoveAll is os.RemoveAll that waits in the same way. Listing a folder has it open, too.
func RemoveAll(path string) error {
	return whileHeld(path, func() error { return os.RemoveAll(path) })
}

// whileHeld tries again while an open file is why it fails.
func whileHeld(path string, try func() error) error {
	for begun, pause := time.Now(), time.Millisecond; ; pause *= 2 {
		err := try()
		if !isHeld(err, path) || time.Since(begun) > heldMost {
			return err
		}
		time.Sleep(pause)
	}
}

// isHeld reports an error that an open file gives. Of a target that is open Windows says
// that access is denied, as it does of a folder, which no waiting turns into a file.
func isHeld(err error, to string) bool {
	switch {
	case errors.Is(err, windows.ERROR_SHARING_VIOLATION), errors.Is(err, windows.ERROR_LOCK_VIOLATION):
		return true
	case errors.Is(err, windows.ERROR_ACCESS_DENIED):
		at, err := os.Stat(to)
		return err != nil || !at.IsDir()
	}
	return false
}
