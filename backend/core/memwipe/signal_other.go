//go:build !linux

package memwipe

// interrupted does nothing: it is implemented for Linux only.
func interrupted(_, _, _, _, _, _, _, _, _, _, _, _, _, _, _ float64) {}

// clearSignalStack does nothing: Windows has no signal stacks, and on macOS only system
// libraries may make system calls.
func clearSignalStack() {}
