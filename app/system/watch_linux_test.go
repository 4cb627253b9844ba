package system_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"keepsake/app/system"
	"keepsake/app/system/bustest"
)

const sessionPath = dbus.ObjectPath("/org/freedesktop/login1/session/_31")

// login stands in for logind.
type login struct {
	held chan *os.File // the other end of what holds a sleep up
}

func (l *login) GetSessionByPID(pid uint32) (dbus.ObjectPath, *dbus.Error) {
	if int(pid) != os.Getpid() {
		return "", dbus.MakeFailedError(os.ErrNotExist)
	}
	return sessionPath, nil
}

func (l *login) Inhibit(what, _, _, mode string) (dbus.UnixFD, *dbus.Error) {
	r, w, err := os.Pipe()
	if err != nil || what != "sleep" || mode != "delay" {
		return 0, dbus.MakeFailedError(os.ErrInvalid)
	}
	l.held <- r
	time.AfterFunc(time.Second, func() { w.Close() }) // the reply has been sent by then
	return dbus.UnixFD(w.Fd()), nil
}

func connect(t *testing.T, address, name string) *dbus.Conn {
	t.Helper()
	conn, err := dbus.Connect(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if _, err := conn.RequestName(name, 0); err != nil {
		t.Fatal(err)
	}
	return conn
}

func emit(t *testing.T, conn *dbus.Conn, path dbus.ObjectPath, name string, values ...any) {
	t.Helper()
	if err := conn.Emit(path, name, values...); err != nil {
		t.Fatal(err)
	}
}

// TestWatchHearsSleepAndLockedScreens has buses with stand-ins for logind and
// for a screen saver say everything that they say.
func TestWatchHearsSleepAndLockedScreens(t *testing.T) {
	t.Setenv("DBUS_SYSTEM_BUS_ADDRESS", bustest.New(t))
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", bustest.New(t))
	logind := connect(t, os.Getenv("DBUS_SYSTEM_BUS_ADDRESS"), "org.freedesktop.login1")
	stand := &login{held: make(chan *os.File, 8)}
	if err := logind.Export(stand, "/org/freedesktop/login1", "org.freedesktop.login1.Manager"); err != nil {
		t.Fatal(err)
	}
	saver := connect(t, os.Getenv("DBUS_SESSION_BUS_ADDRESS"), "org.gnome.ScreenSaver")

	heard := make(chan string, 32)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		system.Watch(ctx, func() { heard <- "sleep" }, func() { heard <- "session" })
	}()
	next := func(want string) {
		t.Helper()
		select {
		case got := <-heard:
			if got != want {
				t.Errorf("heard %q, want %q", got, want)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("heard nothing, want %q", want)
		}
	}
	held := <-stand.held // everything is listened to by now, but perhaps the session bus
	emit(t, logind, "/org/freedesktop/login1", "org.freedesktop.login1.Manager.PrepareForSleep", true)
	next("sleep")
	if _, err := held.Read(make([]byte, 1)); err == nil {
		t.Error("the sleep is still held up after the vault was locked")
	}
	emit(t, logind, "/org/freedesktop/login1", "org.freedesktop.login1.Manager.PrepareForSleep", false)
	<-stand.held                                                            // held up again for the next one
	emit(t, logind, sessionPath+"2", "org.freedesktop.login1.Session.Lock") // somebody else's
	emit(t, logind, sessionPath, "org.freedesktop.login1.Session.Unlock")
	emit(t, logind, sessionPath, "org.freedesktop.login1.Session.Lock")
	next("session")
	hint := func(on bool) map[string]dbus.Variant {
		return map[string]dbus.Variant{"LockedHint": dbus.MakeVariant(on)}
	}
	emit(t, logind, sessionPath, "org.freedesktop.DBus.Properties.PropertiesChanged", "org.freedesktop.login1.Session", hint(false), []string{})
	emit(t, logind, sessionPath, "org.freedesktop.DBus.Properties.PropertiesChanged", "org.freedesktop.login1.Session", hint(true), []string{})
	next("session")
	for len(heard) == 0 { // until it listens
		emit(t, saver, "/org/gnome/ScreenSaver", "org.gnome.ScreenSaver.ActiveChanged", false)
		emit(t, saver, "/org/gnome/ScreenSaver", "org.gnome.ScreenSaver.ActiveChanged", true)
		time.Sleep(10 * time.Millisecond) // nothing says when the watcher has subscribed, so it is told again
	}
	next("session")
	cancel()
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		t.Error("it listens on after its context has ended")
	}
}

func TestWatchEndsWhereNobodyTells(t *testing.T) {
	t.Setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path="+t.TempDir()+"/none")
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	system.Watch(t.Context(), func() { t.Error("sleep") }, func() { t.Error("session") })
}
