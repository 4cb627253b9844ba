//go:build !linux && !windows

package system

// SavesPower always returns false: what this system says of it is not read.
func SavesPower() bool { return false }
