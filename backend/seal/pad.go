package seal

import "math/bits"

// padded is the length a plaintext of n bytes is sealed at, so that lengths on
// disk say little: steps of 64 up to 1 KiB, then Padmé (at most 12 % more).
func padded(n int) int {
	if n <= 1024 {
		return max(64, (n+63)&^63)
	}
	e := bits.Len(uint(n)) - 1
	low := e - bits.Len(uint(e))
	mask := 1<<low - 1
	return (n + mask) &^ mask
}
