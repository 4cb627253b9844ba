package atomicfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// NewPassing makes a folder for a file that passes on and does not stay: one that only
// this person can enter, in memory where there is such a folder. Whoever makes it
// removes it, and closes it then.
func NewPassing(name string) (*Folder, error) {
	var failed error
	for _, base := range passingPlaces() {
		folder, err := NewFolder(filepath.Join(base, name))
		if err == nil {
			return folder, nil
		}
		failed = errors.Join(failed, err)
	}
	return nil, fmt.Errorf("make folder for a passing file: %w", failed)
}

// TidyPassing takes away what a process that was killed left of such folders: files
// that anybody with this account can read.
func TidyPassing() {
	for _, place := range passingPlaces() {
		Tidy(place)
	}
}

// passingPlaces are the folders that these may lie in, the best first: one that is
// never written to a disk, where there is one.
func passingPlaces() []string {
	places := []string{os.TempDir()}
	if runtime.GOOS == "linux" {
		places = append([]string{"/dev/shm"}, places...)
		if own := os.Getenv("XDG_RUNTIME_DIR"); own != "" {
			places = append([]string{own}, places...)
		}
	}
	return places
}
