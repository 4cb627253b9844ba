package system_test

import (
	"os"
	"testing"

	"github.com/godbus/dbus/v5"

	"keepsake/app/system"
	"keepsake/app/system/bustest"
)

// profiles stands in for power-profiles-daemon.
type profiles string

func (p profiles) Get(_, name string) (dbus.Variant, *dbus.Error) {
	if name != "ActiveProfile" {
		return dbus.Variant{}, dbus.MakeFailedError(os.ErrNotExist)
	}
	return dbus.MakeVariant(string(p)), nil
}

// TestSavesPower asks under both names of the daemon, and takes silence for no.
func TestSavesPower(t *testing.T) {
	for _, c := range []struct {
		name, path, profile string
		want                bool
	}{
		{"org.freedesktop.UPower.PowerProfiles", "/org/freedesktop/UPower/PowerProfiles", "power-saver", true},
		{"org.freedesktop.UPower.PowerProfiles", "/org/freedesktop/UPower/PowerProfiles", "balanced", false},
		{"net.hadess.PowerProfiles", "/net/hadess/PowerProfiles", "power-saver", true},
		{"org.example.Other", "/", "power-saver", false},
	} {
		t.Setenv("DBUS_SYSTEM_BUS_ADDRESS", bustest.New(t))
		conn := connect(t, os.Getenv("DBUS_SYSTEM_BUS_ADDRESS"), c.name)
		if err := conn.Export(profiles(c.profile), dbus.ObjectPath(c.path), "org.freedesktop.DBus.Properties"); err != nil {
			t.Fatal(err)
		}
		if got := system.SavesPower(); got != c.want {
			t.Errorf("%+v: %t", c, got)
		}
	}
	t.Setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path="+t.TempDir()+"/none")
	if system.SavesPower() {
		t.Error("without a bus")
	}
}
