package desktop

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"
)

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
func settleGraphics() { settleGraphicsFor("/sys/module/nvidia") }

// settleGraphicsFor has WebKit do without DMABUF where the driver is there and
// nobody chose otherwise.
func settleGraphicsFor(driver string) {
	const variable = "WEBKIT_DISABLE_DMABUF_RENDERER"
	if _, err := os.Stat(driver); err == nil && os.Getenv(variable) == "" {
		os.Setenv(variable, "1")
	}
}
