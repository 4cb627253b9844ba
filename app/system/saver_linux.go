package system

import (
	"context"
	"time"

	"github.com/godbus/dbus/v5"
)

// askedFor is how long the system bus is given for an answer.
const askedFor = 2 * time.Second

// SavesPower reports whether the power profile of power-profiles-daemon is the one that saves power, which
// the person chose, or the system on a nearly empty battery. It is false where that daemon does not run.
func SavesPower() bool {
	ctx, cancel := context.WithTimeout(context.Background(), askedFor)
	defer cancel()
	bus, err := dbus.ConnectSystemBus(dbus.WithContext(ctx))
	if err != nil {
		return false
	}
	defer bus.Close()
	for name, path := range profiles() {
		var profile dbus.Variant
		err := bus.Object(name, path).CallWithContext(ctx, properties+".Get", dbus.FlagNoAutoStart, name, "ActiveProfile").Store(&profile)
		if said, _ := profile.Value().(string); err == nil {
			return said == "power-saver"
		}
	}
	return false
}

// profiles are the names of power-profiles-daemon on the bus, the newer and the older, with its object.
func profiles() map[string]dbus.ObjectPath {
	return map[string]dbus.ObjectPath{
		"org.freedesktop.UPower.PowerProfiles": "/org/freedesktop/UPower/PowerProfiles",
		"net.hadess.PowerProfiles":             "/net/hadess/PowerProfiles",
	}
}
