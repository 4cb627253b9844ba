//go:build !amd64

package memwipe

import "runtime"

// scrubEnd is how many bytes of stack a function without a stack check may use, after
// its callers have used part of that reserve.
const scrubEnd = 600

// overwriteBelow overwrites most of what Go keeps free at the end of a stack.
//
//go:noinline
//go:nosplit
func overwriteBelow() {
	var frame [scrubEnd]byte
	runtime.KeepAlive(&frame)
}
