//go:build !linux && !darwin

package seal

// memoryBytes is unknown here: 0 means the least memory that is safe.
func memoryBytes() uint64 { return 0 }
