//go:build !linux

package vaultdir

import "os"

// Flush puts what was written over a file's bytes on the disk.
func Flush(f *os.File) error { return f.Sync() }
