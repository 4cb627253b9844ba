//go:build !amd64

package memwipe

import "runtime"

// scrubEnd is how much a function may take that does not ask for room, in bytes,
// with what its callers may have left of it.
const scrubEnd = 600

// overwriteBelow overwrites most of what Go keeps free at the end of a stack.
//
//go:noinline
//go:nosplit
func overwriteBelow() {
	var frame [scrubEnd]byte
	runtime.KeepAlive(&frame)
}
