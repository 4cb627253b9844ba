package bench

import (
	"bytes"
	"os"
	"strconv"
)

// memoryNow reads what Linux says of this process, in bytes: memory now that no
// file stands behind, and the most ever in use. Zero where there is no such
// file.
func memoryNow() (anon, peak int64) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, 0
	}
	for line := range bytes.Lines(text) {
		name, value, _ := bytes.Cut(line, []byte(":"))
		switch string(name) {
		case "RssAnon":
			anon = kilobytes(value)
		case "VmHWM":
			peak = kilobytes(value)
		}
	}
	return anon, peak
}

func kilobytes(value []byte) int64 {
	fields := bytes.Fields(value)
	if len(fields) == 0 {
		return 0
	}
	n, _ := strconv.ParseInt(string(fields[0]), 10, 64)
	return n << 10
}
