package system

import (
	"os"
	"path/filepath"
	"testing"
)

// TestOnBattery reads folders like those of the kernel.
func TestOnBattery(t *testing.T) {
	mains := map[string]string{"type": "Mains\n", "online": "1\n"}
	for name, c := range map[string]struct {
		supplies map[string]map[string]string
		want     bool
	}{
		"none":                   {nil, false},
		"plugged in":             {map[string]map[string]string{"AC": mains, "BAT0": {"type": "Battery\n", "status": "Charging\n"}}, false},
		"full":                   {map[string]map[string]string{"BAT0": {"type": "Battery\n", "status": "Full\n"}}, false},
		"discharging":            {map[string]map[string]string{"BAT0": {"type": "Battery\n", "status": "Full\n"}, "BAT1": {"type": "Battery\n", "status": "Discharging\n", "scope": "System\n"}}, true},
		"the battery of a mouse": {map[string]map[string]string{"AC": mains, "hid": {"type": "Battery\n", "status": "Discharging\n", "scope": "Device\n"}}, false},
		"nothing readable":       {map[string]map[string]string{"BAT0": {}}, false},
	} {
		folder := t.TempDir()
		for supply, files := range c.supplies {
			if err := os.Mkdir(filepath.Join(folder, supply), 0o700); err != nil {
				t.Fatal(err)
			}
			for file, text := range files {
				if err := os.WriteFile(filepath.Join(folder, supply, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		if got := onBattery(folder); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
