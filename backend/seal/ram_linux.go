package seal

import "golang.org/x/sys/unix"

// memoryBytes is the machine's memory; 0 when unknown.
func memoryBytes() uint64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	return uint64(info.Totalram) * uint64(info.Unit)
}
