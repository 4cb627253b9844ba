//go:build !windows

package downloads

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"keepsake/app/clients"
)

// downloadDir is the line of user-dirs.dirs of the freedesktop.org user directories that names the folder.
var downloadDir = regexp.MustCompile(`(?m)^XDG_DOWNLOAD_DIR="(.*)"$`)

// Folder is where browsers put what is downloaded: on Linux the folder that the desktop names, whose
// name may be in the person's language.
func Folder(p clients.Places) string {
	usual := filepath.Join(p.Home, "Downloads")
	text, err := os.ReadFile(filepath.Join(p.Config, "user-dirs.dirs"))
	named := downloadDir.FindSubmatch(text)
	if err != nil || named == nil {
		return usual
	}
	folder := string(named[1])
	if below, ok := strings.CutPrefix(folder, "$HOME/"); ok {
		folder = filepath.Join(p.Home, below)
	}
	if !filepath.IsAbs(folder) || filepath.Clean(folder) == filepath.Clean(p.Home) { // no such folder, says the desktop then
		return usual
	}
	return filepath.Clean(folder)
}
