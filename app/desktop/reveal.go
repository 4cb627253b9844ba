package desktop

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"keepsake/backend/fault"
)

// revealFile shows a file in the platform's file manager. The path is one that
// Go found out about; nothing of it comes from the page.
func revealFile(path string) error {
	if _, err := os.Stat(path); err != nil {
		return fault.New(fault.NotFound, "file-moved", "{name} is no longer where it was.").
			With("name", filepath.Base(path)).Because(err)
	}
	var cmd *exec.Cmd
	switch runtime.GOOS {
	case "darwin":
		cmd = exec.Command("open", "-R", path)
	case "windows":
		cmd = exec.Command("explorer", "/select,"+path)
	default:
		if showItem(path) == nil {
			return nil
		}
		cmd = exec.Command("xdg-open", filepath.Dir(path))
	}
	if err := cmd.Start(); err != nil {
		return fault.New(fault.Unsupported, "no-file-manager", "There is no file manager to show {name} in.").
			With("name", filepath.Base(path)).Because(err)
	}
	go func() { _ = cmd.Wait() }() // only to leave no zombie
	return nil
}
