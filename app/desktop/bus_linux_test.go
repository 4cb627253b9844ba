package desktop

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"keepsake/app/system/bustest"
	"keepsake/backend/fault"
)

// desk is a session bus of the test's own, with stand-ins on it for what a desktop
// answers with.
type desk struct {
	t    *testing.T
	conn *dbus.Conn
}

func newDesk(t *testing.T, names ...string) *desk {
	t.Helper()
	address := bustest.New(t)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
	conn, err := dbus.Connect(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	for _, name := range names {
		if _, err := conn.RequestName(name, 0); err != nil {
			t.Fatal(err)
		}
	}
	return &desk{t, conn}
}

func (d *desk) answer(with any, path dbus.ObjectPath, face string) {
	d.t.Helper()
	if err := d.conn.Export(with, path, face); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) say(path dbus.ObjectPath, name string, values ...any) {
	d.t.Helper()
	if err := d.conn.Emit(path, name, values...); err != nil {
		d.t.Fatal(err)
	}
}

// next is what a channel has next.
func next[T any](t *testing.T, from <-chan T) (got T) {
	t.Helper()
	select {
	case got = <-from:
	case <-time.After(20 * time.Second):
		t.Fatal("nothing came")
	}
	return got
}

// colours stands in for the portal; its answers are wrapped as old portals do.
type colours struct{ scheme uint32 }

func (c *colours) Read(namespace, key string) (dbus.Variant, *dbus.Error) {
	if namespace != appearance || key != colourScheme {
		return dbus.Variant{}, dbus.MakeFailedError(os.ErrNotExist)
	}
	return dbus.MakeVariant(dbus.MakeVariant(c.scheme)), nil
}

func TestTheThemeIsTheSystems(t *testing.T) {
	t.Setenv("GTK_THEME", "")
	d := newDesk(t, portal)
	c := &colours{}
	d.answer(c, portalPath, portalSettings)
	for scheme, want := range map[uint32]string{0: "", 1: "dark", 2: "light", 3: ""} {
		c.scheme = scheme
		if got := systemTheme(); got != want {
			t.Errorf("scheme %d is %q, want %q", scheme, got, want)
		}
	}
	t.Setenv("GTK_THEME", "Adwaita:dark")
	if got := systemTheme(); got != "dark" {
		t.Errorf("with a dark theme of GTK it is %q", got)
	}
	t.Setenv("GTK_THEME", "")
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+filepath.Join(t.TempDir(), "none"))
	if got := systemTheme(); got != "" {
		t.Errorf("without a bus it is %q", got)
	}
}

func TestTheThemeFollowsTheSystem(t *testing.T) {
	d := newDesk(t, portal)
	told, ended := make(chan string, 64), make(chan bool)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		defer close(ended)
		watchTheme(ctx, func(theme string) { told <- theme })
	}()
	change := func(namespace string, scheme uint32) {
		d.say(portalPath, portalSettings+".SettingChanged", namespace, colourScheme, dbus.MakeVariant(scheme))
	}
	for len(told) == 0 { // nothing says when it listens, so it is told again
		change(appearance, 1)
		time.Sleep(10 * time.Millisecond)
	}
	change("org.gnome.desktop.interface", 2) // a setting of the same name elsewhere
	change(appearance, 2)
	got := next(t, told)
	for got == "dark" {
		got = next(t, told)
	}
	if got != "light" {
		t.Errorf("after dark came %q, want light", got)
	}
	cancel()
	next(t, ended)
	if len(told) > 0 {
		t.Errorf("%q was told, too", <-told)
	}
}

// board stands in for what shows notifications.
type board struct{ shown chan []any }

func (b *board) Notify(app string, _ uint32, icon, title, text string, _ []string, _ map[string]dbus.Variant, _ int32) (uint32, *dbus.Error) {
	b.shown <- []any{app, icon, title, text}
	return 7, nil
}

func TestANotificationSaysWhatItIsToldAndRaisesTheWindow(t *testing.T) {
	d := newDesk(t, notifications)
	b := &board{make(chan []any, 4)}
	d.answer(b, notificationsPath, notifications)
	for _, end := range []struct {
		signal string
		value  any
		clicks int
	}{{"ActionInvoked", "default", 1}, {"NotificationClosed", uint32(2), 0}} {
		clicked, ended := make(chan bool, 1), make(chan bool)
		go func() {
			defer close(ended)
			notify(t.Context(), "The import has ended.", func() { clicked <- true })
		}()
		if got := next(t, b.shown); got[2] != "Keepsake" || got[3] != "The import has ended." {
			t.Errorf("shown: %q", got)
		}
		d.say(notificationsPath, notifications+"."+end.signal, uint32(6), end.value) // another program's
		d.say(notificationsPath, notifications+"."+end.signal, uint32(7), end.value)
		next(t, ended)
		if len(clicked) != end.clicks {
			t.Errorf("%s: clicked %d times, want %d", end.signal, len(clicked), end.clicks)
		}
	}
	if len(b.shown) > 0 {
		t.Errorf("%q was shown, too", <-b.shown)
	}
}

// folders stands in for the file manager.
type folders struct{ shown chan []string }

func (f *folders) ShowItems(files []string, _ string) *dbus.Error {
	f.shown <- files
	return nil
}

func TestShowInFolderNamesTheFile(t *testing.T) {
	d := newDesk(t, fileManager)
	f := &folders{make(chan []string, 4)}
	d.answer(f, fileManagerPath, fileManager)
	path := filepath.Join(t.TempDir(), "Ação #1 & 100 %.pam.json")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := revealFile(path); err != nil {
		t.Fatal(err)
	}
	want := "file://" + filepath.Dir(path) + "/A%C3%A7%C3%A3o%20%231%20&%20100%20%25.pam.json"
	if got := next(t, f.shown); len(got) != 1 || got[0] != want {
		t.Errorf("shown: %q, want %q", got, want)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := revealFile(path); fault.From(err).Reason != "file-moved" {
		t.Errorf("a file that is gone: %v", err)
	}
	if len(f.shown) > 0 {
		t.Errorf("%q was shown, too", <-f.shown)
	}
}

func TestWebKitDoesWithoutDMABUFOnNVIDIA(t *testing.T) {
	const variable = "WEBKIT_DISABLE_DMABUF_RENDERER"
	driver, none := t.TempDir(), filepath.Join(t.TempDir(), "none")
	for _, one := range []struct{ driver, chosen, want string }{{driver, "", "1"}, {driver, "0", "0"}, {none, "", ""}} {
		t.Setenv(variable, one.chosen)
		settleGraphicsFor(one.driver)
		if got := os.Getenv(variable); got != one.want {
			t.Errorf("%+v: %q", one, got)
		}
	}
}
