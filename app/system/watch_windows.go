package system

import (
	"context"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// lookEvery is how often Windows is asked whether the screen is locked: being
// told needs a window of one's own.
const lookEvery = 2 * time.Second

// Of wtsapi32.h.
const (
	currentSession   = ^uint32(0)
	sessionInfoEx    = 25
	sessionStateLock = 0  // since Windows 8; the other way round before
	sessionFlagsAt   = 16 // of WTSINFOEXW: Level u32, four bytes of nothing, SessionId u32, SessionState u32, SessionFlags i32
)

// Watch calls session when the screen is locked, until ctx ends. A sleep shows
// on the clock (core.Service.WatchPresence).
func Watch(ctx context.Context, _, session func()) {
	query := windows.NewLazySystemDLL("wtsapi32.dll").NewProc("WTSQuerySessionInformationW")
	free := windows.NewLazySystemDLL("wtsapi32.dll").NewProc("WTSFreeMemory")
	if query.Find() != nil || free.Find() != nil {
		return
	}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	was := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		is, known := screenLocked(query, free)
		if known && is && !was {
			session()
		}
		was = known && is
	}
}

func screenLocked(query, free *windows.LazyProc) (locked, known bool) {
	var info unsafe.Pointer
	var size uint32
	ok, _, _ := query.Call(0, uintptr(currentSession), sessionInfoEx, uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&size)))
	if ok == 0 || info == nil {
		return false, false
	}
	defer free.Call(uintptr(info))
	if size < sessionFlagsAt+4 {
		return false, false
	}
	flags := *(*int32)(unsafe.Add(info, sessionFlagsAt))
	return flags == sessionStateLock, true
}
