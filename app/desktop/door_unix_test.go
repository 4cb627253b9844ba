//go:build unix

package desktop_test

import (
	"os"
	"path/filepath"
	"testing"

	"keepsake/app/desktop"
)

func TestAFolderOthersCanEnterIsRefused(t *testing.T) {
	dir := runtimeDir(t)
	if err := os.Mkdir(filepath.Join(dir, "keepsake"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "keepsake"), 0o755); err != nil {
		t.Fatal(err)
	}
	if door, err := desktop.OpenDoor("/vault", nil); err == nil {
		door.Close()
		t.Error("it was used")
	}
}
