package system

import (
	"context"
	"os"
	"strings"
	"syscall"

	"github.com/godbus/dbus/v5"

	"keepsake/backend/product"
)

const (
	login1        = "org.freedesktop.login1"
	login1Path    = "/org/freedesktop/login1"
	login1Manager = login1 + ".Manager"
	login1Session = login1 + ".Session"
	properties    = "org.freedesktop.DBus.Properties"
)

// savers tell of a locked screen on the session bus; GNOME and KDE each have
// one of their own.
func savers() []string { return []string{"org.freedesktop.ScreenSaver", "org.gnome.ScreenSaver"} }

// Watch calls sleep before the computer goes to sleep and session when its
// screen is locked, until ctx ends. Where there is no bus that says so, it
// calls nothing and returns at once.
func Watch(ctx context.Context, sleep, session func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		watchScreen(ctx, session)
	}()
	watchLogin(ctx, sleep, session)
	<-done
}

// watchLogin listens to logind on the system bus.
func watchLogin(ctx context.Context, sleep, session func()) {
	bus, err := dbus.ConnectSystemBus(dbus.WithContext(ctx))
	if err != nil {
		return
	}
	defer bus.Close()
	own := ownSession(ctx, bus)
	rules := [][]dbus.MatchOption{
		{dbus.WithMatchInterface(login1Manager), dbus.WithMatchMember("PrepareForSleep"), dbus.WithMatchObjectPath(login1Path)},
	}
	if own != "" {
		rules = append(rules,
			[]dbus.MatchOption{dbus.WithMatchInterface(login1Session), dbus.WithMatchMember("Lock"), dbus.WithMatchObjectPath(own)},
			[]dbus.MatchOption{dbus.WithMatchInterface(properties), dbus.WithMatchMember("PropertiesChanged"), dbus.WithMatchObjectPath(own)})
	}
	for _, rule := range rules {
		if bus.AddMatchSignalContext(ctx, append(rule, dbus.WithMatchSender(login1))...) != nil {
			return
		}
	}
	signals := make(chan *dbus.Signal, 16)
	bus.Signal(signals)
	delay := delaySleep(ctx, bus)
	for signal := range signals { // closed with the connection, which ctx closes
		switch {
		case strings.HasSuffix(signal.Name, ".PrepareForSleep"):
			if first, _ := argument(signal).(bool); first {
				sleep()
				delay.release()
			} else { // awake again: the next sleep is to wait as well
				delay = delaySleep(ctx, bus)
			}
		case strings.HasSuffix(signal.Name, ".Lock"), saysLocked(signal):
			session()
		}
	}
}

// ownSession is the path of the session this process belongs to, "" for none.
func ownSession(ctx context.Context, bus *dbus.Conn) (path dbus.ObjectPath) {
	manager := bus.Object(login1, login1Path)
	if manager.CallWithContext(ctx, login1Manager+".GetSessionByPID", dbus.FlagNoAutoStart, uint32(os.Getpid())).Store(&path) == nil {
		return path
	}
	if id := os.Getenv("XDG_SESSION_ID"); id != "" &&
		manager.CallWithContext(ctx, login1Manager+".GetSession", dbus.FlagNoAutoStart, id).Store(&path) == nil {
		return path
	}
	return ""
}

// inhibitor holds a sleep up until it is released; -1 holds nothing.
type inhibitor int

// delaySleep asks for the moment that locking takes before every sleep.
func delaySleep(ctx context.Context, bus *dbus.Conn) inhibitor {
	var fd dbus.UnixFD
	err := bus.Object(login1, login1Path).CallWithContext(ctx, login1Manager+".Inhibit", dbus.FlagNoAutoStart,
		"sleep", product.Name, "Locking the vault", "delay").Store(&fd)
	if err != nil {
		return -1
	}
	return inhibitor(fd)
}

func (i inhibitor) release() {
	if i >= 0 {
		_ = syscall.Close(int(i))
	}
}

// saysLocked reports whether a session says of itself that its screen was locked.
func saysLocked(signal *dbus.Signal) bool {
	if !strings.HasSuffix(signal.Name, ".PropertiesChanged") || len(signal.Body) < 2 {
		return false
	}
	changed, _ := signal.Body[1].(map[string]dbus.Variant)
	locked, _ := changed["LockedHint"].Value().(bool)
	return locked
}

// watchScreen listens to the screen savers of the session bus, if one runs.
func watchScreen(ctx context.Context, session func()) {
	if os.Getenv("DBUS_SESSION_BUS_ADDRESS") == "" { // the library would start a bus
		return
	}
	bus, err := dbus.ConnectSessionBus(dbus.WithContext(ctx))
	if err != nil {
		return
	}
	defer bus.Close()
	for _, name := range savers() {
		if bus.AddMatchSignalContext(ctx, dbus.WithMatchInterface(name), dbus.WithMatchMember("ActiveChanged")) != nil {
			return
		}
	}
	signals := make(chan *dbus.Signal, 16)
	bus.Signal(signals)
	for signal := range signals {
		if active, _ := argument(signal).(bool); active && strings.HasSuffix(signal.Name, ".ActiveChanged") {
			session()
		}
	}
}

func argument(signal *dbus.Signal) any {
	if len(signal.Body) == 0 {
		return nil
	}
	return signal.Body[0]
}
