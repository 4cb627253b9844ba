package bench

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// usage is the memory of a process, in bytes. What the vault's file maps is
// the system's page cache and stands apart from what the program asked for.
type usage struct {
	anon, file int64 // now
	peak       int64 // of both together, ever
}

// memoryNow is memoryOf this process.
func memoryNow() (u usage, ok bool) { return memoryOf(os.Getpid()) }

// memoryOf reads what Linux says of a process; ok is false where there is no such file.
func memoryOf(pid int) (u usage, ok bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return u, false
	}
	for line := range bytes.Lines(text) {
		name, value, _ := bytes.Cut(line, []byte(":"))
		switch string(name) {
		case "RssAnon":
			u.anon = kilobytes(value)
		case "RssFile":
			u.file = kilobytes(value)
		case "VmHWM":
			u.peak = kilobytes(value)
		}
	}
	return u, u.peak > 0
}

func kilobytes(value []byte) int64 {
	n, _ := strconv.ParseInt(string(bytes.TrimSuffix(bytes.TrimSpace(value), []byte(" kB"))), 10, 64)
	return n << 10
}
