package system

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// powerStatus is SYSTEM_POWER_STATUS.
type powerStatus struct {
	mains                        byte // ACLineStatus: 0 without mains, 1 with, 255 unknown
	battery, percent, saver      byte
	lifeSeconds, fullLifeSeconds uint32
}

// OnBattery tells whether this computer runs on its battery. Where the system does not tell,
// it does not.
func OnBattery() bool {
	var status powerStatus
	ok, _, _ := windows.NewLazySystemDLL("kernel32.dll").NewProc("GetSystemPowerStatus").Call(uintptr(unsafe.Pointer(&status)))
	return ok != 0 && status.mains == 0
}
