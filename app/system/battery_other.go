//go:build !linux && !windows

package system

// OnBattery is false: nobody is asked on this system.
func OnBattery() bool { return false }
