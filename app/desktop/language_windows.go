package desktop

import "golang.org/x/sys/windows"

// systemLanguage is the language of the desktop, "" for English.
func systemLanguage() string {
	preferred, err := windows.GetUserPreferredUILanguages(windows.MUI_LANGUAGE_NAME)
	if err != nil {
		return ""
	}
	return spoken(preferred...)
}
