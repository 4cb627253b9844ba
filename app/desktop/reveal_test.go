package desktop

import "testing"

// Promise: Explorer gets the switch as it is, and a path with spaces and commas in quotes.
func TestExplorerIsToldOnePath(t *testing.T) {
	for path, want := range map[string]string{
		`C:\me.json`:             `explorer.exe /select,"C:\me.json"`,
		`C:\Ana Lúcia\a, b.json`: `explorer.exe /select,"C:\Ana Lúcia\a, b.json"`,
	} {
		if got := explorerLine(path); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
