package downloads

import (
	"path/filepath"

	"golang.org/x/sys/windows"

	"keepsake/app/clients"
)

// Folder is where browsers put what is downloaded, as the system says.
func Folder(p clients.Places) string {
	if folder, err := windows.KnownFolderPath(windows.FOLDERID_Downloads, windows.KF_FLAG_DONT_VERIFY); err == nil {
		return folder
	}
	return filepath.Join(p.Home, "Downloads")
}
