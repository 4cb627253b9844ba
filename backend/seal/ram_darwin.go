package seal

import "golang.org/x/sys/unix"

// memoryBytes is the machine's memory; 0 when unknown.
func memoryBytes() uint64 {
	n, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return 0
	}
	return n
}
