package desktop

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"

	"keepsake/backend/product"
)

// busTimeout bounds every question to the session bus, so that a bus that
// hangs cannot hold up the start.
const busTimeout = 300 * time.Millisecond

// Whom is asked, and for what.
const (
	portal            = "org.freedesktop.portal.Desktop"
	portalPath        = "/org/freedesktop/portal/desktop"
	portalSettings    = "org.freedesktop.portal.Settings"
	appearance        = "org.freedesktop.appearance"
	colourScheme      = "color-scheme"
	notifications     = "org.freedesktop.Notifications"
	notificationsPath = "/org/freedesktop/Notifications"
	fileManager       = "org.freedesktop.FileManager1"
	fileManagerPath   = "/org/freedesktop/FileManager1"
)

// systemTheme asks the desktop for "light" or "dark"; "" when it does not say.
// The web view itself follows only the GTK theme.
func systemTheme() string {
	if strings.HasSuffix(os.Getenv("GTK_THEME"), ":dark") {
		return "dark"
	}
	ctx, cancel := context.WithTimeout(context.Background(), busTimeout)
	defer cancel()
	bus := sessionBus(ctx)
	if bus == nil {
		return ""
	}
	defer bus.Close()
	var value dbus.Variant
	err := bus.Object(portal, portalPath).
		CallWithContext(ctx, portalSettings+".Read", dbus.FlagNoAutoStart, appearance, colourScheme).
		Store(&value)
	if err != nil {
		return ""
	}
	return themeOf(value)
}

// themeOf is what the portal's number for a colour scheme means; some portals wrap
// it more than once.
func themeOf(value dbus.Variant) string {
	for {
		inner, nested := value.Value().(dbus.Variant)
		if !nested {
			break
		}
		value = inner
	}
	switch scheme, _ := value.Value().(uint32); scheme {
	case 1:
		return "dark"
	case 2:
		return "light"
	}
	return ""
}

// watchTheme calls changed with what systemTheme would say, whenever the desktop's
// colours change, until ctx ends. Without a bus it returns at once.
func watchTheme(ctx context.Context, changed func(theme string)) {
	bus, heard := listening(ctx, dbus.WithMatchSender(portal), dbus.WithMatchInterface(portalSettings), dbus.WithMatchMember("SettingChanged"))
	if bus == nil {
		return
	}
	defer bus.Close()
	for {
		select {
		case <-ctx.Done():
			return
		case signal, open := <-heard:
			var namespace, key string
			var value dbus.Variant
			if !open {
				return
			}
			if dbus.Store(signal.Body, &namespace, &key, &value) == nil && namespace == appearance && key == colourScheme {
				changed(themeOf(value))
			}
		}
	}
}

// showItem asks the file manager to select path.
func showItem(path string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*busTimeout)
	defer cancel()
	bus := sessionBus(ctx)
	if bus == nil {
		return os.ErrNotExist
	}
	defer bus.Close()
	file := (&url.URL{Scheme: "file", Path: path}).String()
	return bus.Object(fileManager, fileManagerPath).
		CallWithContext(ctx, fileManager+".ShowItems", 0, []string{file}, "").Err
}

// notify has the desktop show text, and calls clicked when somebody clicks on it. It
// returns when it was clicked or closed, or when ctx ends.
func notify(ctx context.Context, text string, clicked func()) {
	bus, heard := listening(ctx, dbus.WithMatchSender(notifications), dbus.WithMatchInterface(notifications))
	if bus == nil {
		return
	}
	defer bus.Close()
	asked, cancel := context.WithTimeout(ctx, 10*busTimeout)
	defer cancel()
	var id uint32
	hints := map[string]dbus.Variant{"desktop-entry": dbus.MakeVariant(product.Program)}
	err := bus.Object(notifications, notificationsPath).
		CallWithContext(asked, notifications+".Notify", 0, product.Name, uint32(0), product.Program, product.Name, text, []string{"default", ""}, hints, int32(-1)).
		Store(&id)
	if err != nil {
		return
	}
	for {
		select {
		case <-ctx.Done():
			return
		case signal, open := <-heard:
			if !open {
				return
			}
			if len(signal.Body) == 0 || signal.Body[0] != id {
				continue // somebody else's
			}
			if signal.Name == notifications+".ActionInvoked" {
				clicked()
			}
			return
		}
	}
}

// listening is the session bus and what is heard there of some signals; nil without one.
func listening(ctx context.Context, to ...dbus.MatchOption) (*dbus.Conn, <-chan *dbus.Signal) {
	bus := sessionBus(ctx)
	if bus == nil {
		return nil, nil
	}
	heard := make(chan *dbus.Signal, 16)
	bus.Signal(heard)
	if bus.AddMatchSignalContext(ctx, to...) != nil {
		bus.Close()
		return nil, nil
	}
	return bus, heard
}

// sessionBus connects to the bus that runs, if one does; it never starts one.
func sessionBus(ctx context.Context) *dbus.Conn {
	address := os.Getenv("DBUS_SESSION_BUS_ADDRESS")
	if address == "" {
		socket := filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "bus")
		if _, err := os.Stat(socket); err != nil {
			return nil
		}
		address = "unix:path=" + socket
	}
	bus, err := dbus.Connect(address, dbus.WithContext(ctx))
	if err != nil {
		return nil
	}
	return bus
}
