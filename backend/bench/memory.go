package bench

import (
	"bytes"
	"os"
	"strconv"
)

// usage is the memory of this process, in bytes. What the vault's file maps is
// the system's page cache and stands apart from what the program asked for.
type usage struct {
	anon, file int64 // now
	peak       int64 // of both together, ever
}

// memoryNow reads what Linux says; ok is false where there is no such file.
func memoryNow() (u usage, ok bool) {
	text, err := os.ReadFile("/proc/self/status")
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
