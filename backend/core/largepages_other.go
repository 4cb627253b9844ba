//go:build !linux

package core

// inLargePages does nothing: only Linux is asked for them.
func inLargePages[T any]([]T) {}
