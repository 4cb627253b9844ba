package folderwatch_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"keepsake/app/folderwatch"
	"keepsake/backend/fault"
)

func open(t *testing.T, f folderwatch.Folder) (w *folderwatch.Watcher, changes *atomic.Int64) {
	t.Helper()
	changes = &atomic.Int64{}
	w, err := folderwatch.Open(f, func() { changes.Add(1) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return w, changes
}

func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	// It polls: notifications of the system come some time after the change.
	for end := time.Now().Add(20 * time.Second); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

func write(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestChangesAreTold in a folder and in those below it, and no more once it was closed.
func TestChangesAreTold(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "a", "b", "old"))
	w, changes := open(t, folderwatch.Folder{Path: root, Depth: 2})
	if w.Partly != nil {
		t.Error(w.Partly)
	}
	for _, name := range []string{"new", "a/new", "a/b/new"} {
		before := changes.Load()
		write(t, filepath.Join(root, name))
		until(t, name, func() bool { return changes.Load() > before })
	}
	w.Close()
	time.Sleep(50 * time.Millisecond) // notifications of changes before the close may still come
	before := changes.Load()
	write(t, filepath.Join(root, "later"))
	time.Sleep(50 * time.Millisecond) // time for a notification, of which there is to be none
	if changes.Load() != before {
		t.Error("a closed watcher tells")
	}
}

// TestAFolderThatIsNotThere: creating the folder calls changed, and so does removing one that existed.
func TestAFolderThatIsNotThere(t *testing.T) {
	root := t.TempDir()
	folder := filepath.Join(root, "a", "b", "c")
	w, changes := open(t, folderwatch.Folder{Path: folder})
	if fault.From(w.Partly) == nil || fault.From(w.Partly).Reason != "watch-not-there" {
		t.Error(w.Partly)
	}
	write(t, filepath.Join(folder, "x"))
	until(t, "its making is told", func() bool { return changes.Load() > 0 })
	w, changes = open(t, folderwatch.Folder{Path: folder})
	if w.Partly != nil {
		t.Error(w.Partly)
	}
	if err := os.RemoveAll(filepath.Join(root, "a")); err != nil {
		t.Fatal(err)
	}
	until(t, "its end is told", func() bool { return changes.Load() > 0 })
}

// TestWatchesAreBounded: of a folder with more folders than may be watched it is said that a part is.
func TestWatchesAreBounded(t *testing.T) {
	root := t.TempDir()
	for i := range 4_100 {
		if err := os.Mkdir(filepath.Join(root, fmt.Sprint(i)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	w, changes := open(t, folderwatch.Folder{Path: root, Depth: 1})
	if fault.From(w.Partly) == nil || fault.From(w.Partly).Reason != "watch-limit" {
		t.Error(w.Partly)
	}
	write(t, filepath.Join(root, "new"))
	until(t, "a change is told", func() bool { return changes.Load() > 0 })
}

// TestLinksAreNotFollowed below the folder; the folder itself may be one.
func TestLinksAreNotFollowed(t *testing.T) {
	root, other := t.TempDir(), t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(root, link); err != nil {
		t.Skip("no links: " + err.Error()) // Windows allows them to administrators only
	}
	if err := os.Symlink(other, filepath.Join(root, "linked")); err != nil {
		t.Fatal(err)
	}
	_, changes := open(t, folderwatch.Folder{Path: link, Depth: 1})
	write(t, filepath.Join(other, "x"))
	time.Sleep(50 * time.Millisecond) // time for notifications, of which there are to be none
	if changes.Load() != 0 {
		t.Error("what lies behind a link is watched")
	}
	write(t, filepath.Join(root, "x"))
	until(t, "a change is told", func() bool { return changes.Load() > 0 })
}
