//go:build !linux

package desktop

import "os"

// HasDisplay reports whether there is a display; elsewhere there always is.
func HasDisplay() bool { return true }

func settleGraphics() {}

// systemTheme is "": the web view follows the system by itself.
func systemTheme() string { return "" }

func showItem(string) error { return os.ErrNotExist }
