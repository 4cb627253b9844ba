package desktop

import (
	"context"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"
)

// busTimeout bounds every question to the session bus, so that a bus that
// hangs cannot hold up the start.
const busTimeout = 300 * time.Millisecond

// HasDisplay reports whether there is a display that answers.
func HasDisplay() bool {
	if name := os.Getenv("WAYLAND_DISPLAY"); name != "" {
		if !filepath.IsAbs(name) {
			name = filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), name)
		}
		if answers(name) {
			return true
		}
	}
	display := os.Getenv("DISPLAY")
	local, ok := strings.CutPrefix(strings.TrimPrefix(display, "unix"), ":")
	if !ok {
		return display != "" // on another machine: let GTK find out
	}
	number, _, _ := strings.Cut(local, ".")
	socket := "/tmp/.X11-unix/X" + number
	return answers(socket) || answers("@"+socket)
}

func answers(socket string) bool {
	conn, err := net.DialTimeout("unix", socket, time.Second)
	if err != nil {
		return false
	}
	conn.Close()
	return true
}

// settleGraphics keeps windows from staying blank with NVIDIA's driver.
func settleGraphics() {
	const variable = "WEBKIT_DISABLE_DMABUF_RENDERER"
	if _, err := os.Stat("/sys/module/nvidia"); err == nil && os.Getenv(variable) == "" {
		os.Setenv(variable, "1")
	}
}

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
	err := bus.Object("org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop").
		CallWithContext(ctx, "org.freedesktop.portal.Settings.Read", dbus.FlagNoAutoStart, "org.freedesktop.appearance", "color-scheme").
		Store(&value)
	if err != nil {
		return ""
	}
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
	return bus.Object("org.freedesktop.FileManager1", "/org/freedesktop/FileManager1").
		CallWithContext(ctx, "org.freedesktop.FileManager1.ShowItems", 0, []string{file}, "").Err
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
