//go:build !linux

package memwipe

// clearSignalStack does nothing: Windows has no signal stacks, and on macOS only system
// libraries may make system calls.
func clearSignalStack() {}
