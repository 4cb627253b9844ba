//go:build !linux

package bench

import "os"

// flushData puts what was written over a file's bytes on the disk.
func flushData(f *os.File) error { return f.Sync() }
