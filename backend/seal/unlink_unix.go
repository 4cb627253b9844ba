//go:build !windows

package seal

import "os"

// removeOpen takes the name of an open file away, so that not even a killed
// process leaves one.
func removeOpen(name string) bool { return os.Remove(name) == nil }
