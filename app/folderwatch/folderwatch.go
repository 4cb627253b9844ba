package folderwatch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/fsnotify/fsnotify"

	"keepsake/backend/fault"
)

// most bounds what is watched of one folder: folders, and where the system watches each file of a folder
// by itself (kqueue), those files too.
const most = 4_000

// Folder is what is watched: a folder, and folders below it down to a depth, 0 for none of them.
type Folder struct {
	Path  string
	Depth int
}

// Watcher watches a folder as it was when the watching began: folders that are made in it later are
// told of, and not watched themselves.
type Watcher struct {
	// Partly says why less than the folder is watched; nil: all of it is. Where the folder is not there,
	// its nearest existing parent is watched, so that changed is called once it is created.
	Partly error

	system *fsnotify.Watcher
	left   int
}

// Open watches a folder until the Watcher is closed. changed is called for whatever changes, often, and must
// not block.
func Open(f Folder, changed func()) (*Watcher, error) {
	system, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, limited(err)
	}
	w := &Watcher{system: system, left: most}
	w.addRoot(f)
	go w.tell(changed)
	return w, nil
}

// Close ends the watching.
func (w *Watcher) Close() { _ = w.system.Close() }

func (w *Watcher) tell(changed func()) {
	events, failures := w.system.Events, w.system.Errors
	for events != nil || failures != nil {
		select {
		case _, open := <-events:
			if !open {
				events = nil
				continue
			}
		case _, open := <-failures: // more happened than the system tells
			if !open {
				failures = nil
				continue
			}
		}
		changed()
	}
}

// addRoot watches the folder with those below it, or what is above it while it is not there. A folder
// that is made in between is not missed: what was added is looked at once more.
func (w *Watcher) addRoot(f Folder) {
	for range 8 {
		real, err := filepath.EvalSymlinks(f.Path)
		if err == nil {
			w.Partly = nil
			w.add(real, f.Depth)
			return
		}
		w.Partly = fault.New(fault.NotFound, "watch-not-there", "{folder} is not there. It is watched once it is.").With("folder", filepath.Base(f.Path))
		above := filepath.Dir(f.Path)
		for w.system.Add(above) != nil && above != filepath.Dir(above) {
			above = filepath.Dir(above)
		}
		next := f.Path
		for filepath.Dir(next) != above && next != above {
			next = filepath.Dir(next)
		}
		if _, err := os.Stat(next); err != nil {
			return
		}
	}
}

// add watches a folder, and those below it that are no links.
func (w *Watcher) add(folder string, depth int) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return // gone, or not to be read: nothing in it could be taken either
	}
	cost := 1
	if watchesFiles() {
		cost += len(entries)
	}
	if cost > w.left {
		w.Partly = limited(nil)
		return
	}
	if err := w.system.Add(folder); err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			w.Partly = limited(err)
		}
		return
	}
	w.left -= cost
	for _, e := range entries {
		if depth > 0 && e.IsDir() {
			w.add(filepath.Join(folder, e.Name()), depth-1)
		}
	}
}

// watchesFiles reports whether the system holds every file of a watched folder open.
func watchesFiles() bool { return runtime.GOOS == "darwin" || runtime.GOOS == "freebsd" }

func limited(cause error) error {
	if errors.Is(cause, fs.ErrPermission) || errors.Is(cause, syscall.EACCES) {
		return fault.New(fault.Refused, "watch-not-allowed", "A part of this folder may not be read by this account, so it is not watched.").Because(cause)
	}
	return fault.New(fault.TooLarge, "watch-limit", "There are more folders than this computer lets Keepsake watch. It looks at the others with the next change in the watched ones, and after the next unlock.").Because(cause)
}
