//go:build !linux

package memwipe

// interrupted does nothing: it is implemented for Linux only.
func interrupted(_, _, _, _, _, _, _, _, _, _, _, _, _, _, _ float64) {}

// clearSignalStack does nothing either: Windows has no signal stacks, and macOS does not
// support system calls that bypass its libraries.
func clearSignalStack() {}
