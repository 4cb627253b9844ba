package web

import (
	"fmt"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"keepsake/backend/fault"
)

// exportPrefix is followed by the id of our process, so that a later start can
// tell a folder that a crash left behind.
const exportPrefix = "keepsake-export-"

// exports keeps the finished file until the browser has fetched it: one at a
// time, in a folder only this person can enter, in memory where there is such
// a folder, and gone when the next is made, the vault is locked, or we end.
type exports struct {
	mu    sync.Mutex
	dir   string
	paths map[string]string // token → path
}

// SaveFile implements bridge.Host: nobody is asked, the browser does that.
func (h *host) SaveFile(_, defaultName string) (string, error) {
	dir, err := h.files.fresh()
	if err != nil {
		return "", fault.New(fault.TooLarge, "no-room-for-export", "There is no place to prepare the file in.").Because(err)
	}
	return filepath.Join(dir, filepath.Base(defaultName)), nil
}

// DownloadURL implements bridge.Host.
func (h *host) DownloadURL(token, path string) string {
	h.files.mu.Lock()
	defer h.files.mu.Unlock()
	h.files.paths[token] = path
	return "/download/" + token
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

func (e *exports) open(token string) (*os.File, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	path, ok := e.paths[token]
	if !ok {
		return nil, os.ErrNotExist
	}
	return os.Open(path)
}

// fresh removes what was there and makes a new folder.
func (e *exports) fresh() (string, error) {
	e.remove()
	e.mu.Lock()
	defer e.mu.Unlock()
	base := memoryFolder()
	removeLeft(base)
	dir, err := os.MkdirTemp(base, exportPrefix+strconv.Itoa(os.Getpid())+"-")
	if err != nil {
		return "", fmt.Errorf("make export folder: %w", err)
	}
	e.dir, e.paths = dir, map[string]string{}
	return dir, nil
}

func (e *exports) remove() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.dir != "" {
		_ = os.RemoveAll(e.dir)
	}
	e.dir, e.paths = "", nil
}

// memoryFolder is a folder that is never written to a disk, where there is one.
func memoryFolder() string {
	if runtime.GOOS == "linux" {
		for _, dir := range []string{os.Getenv("XDG_RUNTIME_DIR"), "/dev/shm"} {
			if info, err := os.Stat(dir); err == nil && info.IsDir() && writable(dir) {
				return dir
			}
		}
	}
	return os.TempDir()
}

func writable(dir string) bool {
	probe, err := os.MkdirTemp(dir, exportPrefix+"probe-")
	if err != nil {
		return false
	}
	return os.Remove(probe) == nil
}

// removeLeft takes away folders of processes that are no more.
func removeLeft(base string) {
	entries, err := os.ReadDir(base) // no pattern: the name of the folder may be one
	if err != nil {
		return
	}
	for _, e := range entries {
		rest, ours := strings.CutPrefix(e.Name(), exportPrefix)
		id, _, _ := strings.Cut(rest, "-")
		if pid, err := strconv.Atoi(id); ours && err == nil && !alive(pid) {
			_ = os.RemoveAll(filepath.Join(base, e.Name()))
		}
	}
}

// alive errs on the side of leaving a folder alone.
func alive(pid int) bool {
	process, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	if runtime.GOOS == "windows" {
		return true
	}
	return process.Signal(syscall.Signal(0)) != os.ErrProcessDone
}
