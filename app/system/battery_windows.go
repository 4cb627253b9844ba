package system

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// powerStatus is SYSTEM_POWER_STATUS.
type powerStatus struct {
	mains                        byte // ACLineStatus: 0 without mains, 1 with, 255 unknown
	battery, percent, saver      byte // SystemStatusFlag: 1 while battery saver is on
	lifeSeconds, fullLifeSeconds uint32
}

// power asks the system; ok is false where it does not tell.
func power() (status powerStatus, ok bool) {
	got, _, _ := windows.NewLazySystemDLL("kernel32.dll").NewProc("GetSystemPowerStatus").Call(uintptr(unsafe.Pointer(&status)))
	return status, got != 0
}

// OnBattery tells whether this computer runs on its battery. Where the system does not tell,
// it does not.
func OnBattery() bool {
	status, ok := power()
	return ok && status.mains == 0
}

// SavesPower tells whether Windows saves power.
func SavesPower() bool {
	status, ok := power()
	return ok && status.saver == 1
}
