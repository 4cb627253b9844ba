//go:build !windows

package atomicfile

import "os"

// Rename is os.Rename; only Windows makes it wait.
func Rename(from, to string) error { return os.Rename(from, to) }
