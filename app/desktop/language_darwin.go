package desktop

import (
	"os/exec"
	"strings"
)

// systemLanguage is the language of the desktop, "" for English.
func systemLanguage() string {
	locale, err := exec.Command("/usr/bin/defaults", "read", "-g", "AppleLocale").Output()
	if err != nil {
		return ""
	}
	return spoken(strings.TrimSpace(string(locale)))
}
