package sessions

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"keepsake/app/clients"
)

// Written is a session with the time at which it was written last.
type Written struct {
	Path string
	At   time.Time
}

// mostWritten is how many sessions are looked up at once, those of one and the same time apart.
const mostWritten = 1_000

// Folder is where the assistant keeps its sessions, whether it is there or not.
func (a Assistant) Folder(p clients.Places) string { return a.folder(p) }

// WrittenSince returns the sessions that were written after a time, the oldest first, and whether there are
// more, all of them newer. What is no plain file, and what lies behind a link, is not among them.
func (a Assistant) WrittenSince(p clients.Places, after time.Time) (found []Written, more bool, err error) {
	folder, err := filepath.EvalSymlinks(a.folder(p))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, false, err
	}
	defer root.Close()
	err = fs.WalkDir(root.FS(), ".", func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil && path == ".":
			return err
		case err != nil: // gone, or not to be read
			return nil
		case e.IsDir() && path != "." && strings.Count(path, "/") >= a.Depth:
			return fs.SkipDir
		case !e.Type().IsRegular() || !a.shape.MatchString(path):
			return nil
		}
		info, err := e.Info()
		if err == nil && info.ModTime().After(after) {
			found = append(found, Written{filepath.Join(folder, filepath.FromSlash(path)), info.ModTime()})
		}
		if len(found) >= 2*mostWritten {
			found, more = oldest(found, more)
		}
		return nil
	})
	found, more = oldest(found, more)
	return found, more, err
}

// oldest sorts files by modification time and returns the first mostWritten of them, with those of the same
// time as the last, so that the caller can continue after that time; and whether there are more.
func oldest(found []Written, more bool) ([]Written, bool) {
	slices.SortFunc(found, func(a, b Written) int { return cmp.Or(a.At.Compare(b.At), strings.Compare(a.Path, b.Path)) })
	end := min(len(found), mostWritten)
	for 0 < end && end < len(found) && found[end].At.Equal(found[end-1].At) {
		end++
	}
	return found[:end], more || end < len(found)
}
