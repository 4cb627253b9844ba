//go:build !windows

package atomicfile

import "os"

// Rename is os.Rename; only Windows makes it wait.
func Rename(from, to string) error { return os.Rename(from, to) }

// Remove is os.Remove; only Windows makes it wait.
func Remove(path string) error { return os.Remove(path) }

// RemoveAll is os.RemoveAll; only Windows makes it wait.
func RemoveAll(path string) error { return os.RemoveAll(path) }
