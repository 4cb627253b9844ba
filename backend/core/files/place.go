package files

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"keepsake/backend/fault"
)

// synced lists names of folders that sync programs copy to a cloud.
var synced = []string{
	"dropbox", "onedrive", "google drive", "googledrive", "my drive", "icloud drive", "iclouddrive",
	"mobile documents", "com~apple~clouddocs", "nextcloud", "owncloud", "pcloud drive", "pclouddrive", "mega", "megasync",
	"box sync", "sync.com", "seafile", "tresorit", "proton drive", "cloudstorage",
}

// markers lists files and folders that sync programs create in the folders they sync.
var markers = []string{".dropbox", ".dropbox.cache", ".stfolder", ".sync", ".owncloudsync.log", ".nextcloudsync.log"}

// PlaceWarning returns the id of a risk of keeping a vault in dir: "cloud-folder",
// "network-folder", or "" for none. A program that copies files while they change can
// damage them.
func PlaceWarning(dir string) string {
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		if looksSynced(at) {
			return "cloud-folder"
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	if onNetwork(dir) {
		return "network-folder"
	}
	return ""
}

func looksSynced(dir string) bool {
	name := strings.ToLower(filepath.Base(dir))
	return slices.ContainsFunc(synced, func(s string) bool {
		return name == s || strings.HasPrefix(name, s+" - ") || strings.HasPrefix(name, s+"-")
	}) || slices.ContainsFunc(markers, func(m string) bool {
		_, err := os.Stat(filepath.Join(dir, m))
		return err == nil
	})
}

// NoRoom reports whether a write failed because the disk or a quota is full.
func NoRoom(err error) bool {
	return slices.ContainsFunc(diskFull, func(full error) bool { return errors.Is(err, full) })
}

func errDiskFull(cause error) error {
	return fault.New(fault.TooLarge, "disk-full", "The disk is full; nothing of this step was kept.").
		Advise("Make room and try again. Everything stored before is safe.").Because(cause)
}
