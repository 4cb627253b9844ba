package bridge

import "keepsake/backend/fault"

// Host is the shell around the page: a native window or a browser.
type Host interface {
	// Emit sends an event to every page that listens. It must not block.
	Emit(name string, payload any)
	// OpenFiles asks the person for existing files. None chosen is no error.
	OpenFiles(title string) ([]string, error)
	// OpenFolder asks the person for a folder; "" when none was chosen.
	OpenFolder(title string) (string, error)
	// SaveFile asks where to write; "" when the person changed their mind.
	SaveFile(title, defaultName string) (string, error)
	// Reveal shows a file in its folder.
	Reveal(path string) error
	// OpenLink opens an address in the person's browser. The bridge has
	// checked its scheme.
	OpenLink(address string) error
	// Clipboard is the text on the clipboard.
	Clipboard() (string, error)
	// SetClipboard puts text there, marked as nothing to be remembered where
	// the platform has a mark for that. "" clears it.
	SetClipboard(text string) error
	// Notify shows text outside of the window, for somebody who looks elsewhere. It
	// must not block. Other programs read it and may keep it, so that it never says
	// anything of the vault.
	Notify(text string)
	// Raise brings the window forward, where there is one. It must not block.
	Raise()
	// Locked is called when the vault was locked, by whatever: the shell throws
	// away what the page may have left in memory.
	Locked()
	// DownloadURL is where the page fetches a finished file, "" where the
	// person chose its place themselves.
	DownloadURL(token, path string) string
	// SystemTheme is "light" or "dark" where the shell knows it better than
	// the page can, "" otherwise.
	SystemTheme() string
}

// Events the page may listen to. Payloads are small: the page asks for more.
const (
	EventProgress   = "progress"    // ProgressView
	EventLook       = "look"        // LookView
	EventImportDone = "import-done" // ImportDoneView
	EventVault      = "vault"       // VaultEventView
	EventLocking    = "locking"     // LockingView
	EventLibrary    = "library"     // no payload that matters
	EventSearch     = "search"      // no payload that matters
	EventFound      = "found"       // FoundSoFarView
	EventOffers     = "offers"      // OffersView
	EventKeys       = "keys"        // RotationView
	EventAgents     = "agents"      // no payload that matters
	EventRekey      = "rekey"       // RekeyView
	EventCare       = "care"        // CareProgressView
	EventMenu       = "menu"        // MenuView, from a window with a menu bar
	EventTheme      = "theme"       // ThemeView, where SystemTheme has changed
)

// NoDialog is the fault of a Host that has no native dialogs.
func NoDialog() error {
	return fault.New(fault.Unsupported, "no-native-dialog", "There are no native dialogs in a browser.").
		Advise("Use the page's own file field.")
}
