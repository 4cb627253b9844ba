package system

import (
	"os"
	"path/filepath"
	"strings"
)

// OnBattery tells whether this computer runs on its battery. Where the system does not tell,
// it does not.
func OnBattery() bool { return onBattery("/sys/class/power_supply") }

// onBattery looks for a battery that is being discharged, without those of devices such as a
// mouse.
func onBattery(supplies string) bool {
	all, err := filepath.Glob(filepath.Join(supplies, "*"))
	if err != nil {
		return false
	}
	for _, supply := range all {
		has := func(name, value string) bool {
			text, err := os.ReadFile(filepath.Join(supply, name))
			return err == nil && strings.TrimSpace(string(text)) == value
		}
		if has("type", "Battery") && has("status", "Discharging") && !has("scope", "Device") {
			return true
		}
	}
	return false
}
