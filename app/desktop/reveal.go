package desktop

import (
	"os"
	"path/filepath"

	"keepsake/backend/fault"
)

// revealFile shows a file in the platform's file manager. The path is one that
// Go found out about; nothing of it comes from the page.
func revealFile(path string) error {
	if _, err := os.Stat(path); err != nil {
		return fault.New(fault.NotFound, "file-moved", "{name} is no longer where it was.").
			With("name", filepath.Base(path)).Because(err)
	}
	if showItem(path) == nil {
		return nil
	}
	cmd := revealCommand(path)
	if err := cmd.Start(); err != nil {
		return fault.New(fault.Unsupported, "no-file-manager", "There is no file manager to show {name} in.").
			With("name", filepath.Base(path)).Because(err)
	}
	go func() { _ = cmd.Wait() }() // only to leave no zombie
	return nil
}

// explorerLine has Explorer select a file. Explorer reads its command line by rules of its
// own: with quotes around the whole of "/select,C:\a b\c.json" it opens the documents
// instead. No name on Windows has a quote in it.
func explorerLine(path string) string { return `explorer.exe /select,"` + path + `"` }
