//go:build !windows

package atomicfile

import (
	"fmt"
	"os"
)

// SyncDir flushes the names in a folder, which makes a rename survive a power
// cut.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("open folder: %w", err)
	}
	defer d.Close()
	if err := d.Sync(); err != nil {
		return fmt.Errorf("flush folder: %w", err)
	}
	return nil
}
