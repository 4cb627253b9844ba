//go:build !windows && !darwin

package desktop

// systemLanguage is "": there is no menu bar that would ask.
func systemLanguage() string { return "" }
