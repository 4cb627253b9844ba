package web

import (
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"keepsake/backend/atomicfile"
	"keepsake/backend/fault"
	"keepsake/backend/plainfile"
)

// downloadPath is followed by the token of a finished file.
const downloadPath = "/download/"

// Bounds on finished files that wait for the browser: beyond them the oldest that
// was fetched goes, and where none was, the oldest.
const (
	maxFinished = 16
	finishedFor = time.Hour
)

// exports keeps finished files until the browser has fetched them: each in a folder
// only this person can enter, in memory where there is such a folder, and gone when
// the vault is locked, or we end.
type exports struct {
	mu    sync.Mutex
	files []*exported // as they were begun
}

// exported is a file that is being made, or is finished and has a token.
type exported struct {
	folder      *atomicfile.Folder
	path, token string
	finished    time.Time // zero while it is made
	fetched     bool
}

// SaveFile implements bridge.Host: nobody is asked, the browser does that.
func (h *host) SaveFile(_, defaultName string) (string, error) {
	path, err := h.files.begin(filepath.Base(defaultName))
	if err != nil {
		return "", fault.New(fault.TooLarge, "no-room-for-export", "There is no place to prepare the file in.").Because(err)
	}
	return path, nil
}

// DownloadURL implements bridge.Host.
func (h *host) DownloadURL(token, path string) string {
	h.files.finish(token, path)
	return downloadPath + token
}

func (h *host) download(w http.ResponseWriter, r *http.Request) {
	file, err := h.files.open(r.PathValue("token"))
	if err != nil {
		http.Error(w, "This file is no longer here. Export again.", http.StatusNotFound)
		return
	}
	defer file.Close()
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": filepath.Base(file.Name())}))
	http.ServeContent(w, r, "", time.Time{}, file)
}

// begin makes a folder for one file.
func (e *exports) begin(name string) (path string, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.tidy(time.Now())
	folder, err := atomicfile.NewPassing("export")
	if err != nil {
		return "", err
	}
	path = filepath.Join(folder.Path, name)
	e.files = append(e.files, &exported{folder: folder, path: path})
	return path, nil
}

func (e *exports) finish(token, path string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, f := range e.files {
		if f.path == path {
			f.token, f.finished = token, time.Now()
		}
	}
}

func (e *exports) open(token string) (*os.File, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, f := range e.files {
		if token != "" && f.token == token {
			f.fetched = true
			return plainfile.Open(f.path) // shared: it may be removed while the browser fetches it
		}
	}
	return nil, os.ErrNotExist
}

// tidy removes finished files that are too old or too many.
func (e *exports) tidy(now time.Time) {
	e.drop(func(f *exported) bool { return !f.finished.IsZero() && now.Sub(f.finished) > finishedFor })
	for _, fetched := range []bool{true, false} {
		done := 0
		for _, f := range e.files {
			if !f.finished.IsZero() {
				done++
			}
		}
		e.drop(func(f *exported) bool {
			if f.finished.IsZero() || f.fetched != fetched || done < maxFinished {
				return false
			}
			done--
			return true
		})
	}
}

// drop removes the files that gone names, oldest first.
func (e *exports) drop(gone func(*exported) bool) {
	e.files = slices.DeleteFunc(e.files, func(f *exported) bool {
		if !gone(f) {
			return false
		}
		_ = atomicfile.RemoveAll(f.folder.Path)
		f.folder.Close()
		return true
	})
}

// remove removes all of them.
func (e *exports) remove() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.drop(func(*exported) bool { return true })
}
