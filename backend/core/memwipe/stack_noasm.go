//go:build !amd64

package memwipe

import "runtime"

// scrubEnd is the size in bytes of overwriteBelow's frame. It is what Go reserves at the
// end of a stack for functions without a stack check, minus the part that callers need.
const scrubEnd = 600

// overwriteBelow overwrites most of the reserve that Go keeps at the end of a stack.
//
//go:noinline
//go:nosplit
func overwriteBelow() {
	var frame [scrubEnd]byte
	runtime.KeepAlive(&frame)
}
