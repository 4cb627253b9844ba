//go:build !linux && !windows

package system

// OnBattery always returns false: the power source is not read on this system.
func OnBattery() bool { return false }
