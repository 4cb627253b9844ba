package system

import "golang.org/x/sys/windows"

// Shield keeps the process out of error reports, which hold its memory.
func Shield() {
	windows.SetErrorMode(windows.SEM_FAILCRITICALERRORS | windows.SEM_NOGPFAULTERRORBOX)
}
