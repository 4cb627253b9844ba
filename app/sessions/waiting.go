package sessions

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"keepsake/backend/atomicfile"
	"keepsake/backend/plainfile"
)

// Waiting are the sessions that the owner of a vault is to take. Each is a file with its path, in
// a folder that only this account reads: hooks add and the owner takes at the same time without
// waiting for each other. Of what was said there is nothing in it.
type Waiting struct{ folder string }

const (
	mostWaiting = 500      // beyond that the oldest goes
	longestItem = 64 << 10 // bytes of a file
	waits       = ".json"
	isTaken     = ".taken" // by an owner; what a killed one left is taken again
)

// NewWaiting returns the sessions that wait for a vault. The folder is made once one is added.
func NewWaiting(folder, vaultDir string) Waiting {
	if absolute, err := filepath.Abs(vaultDir); err == nil {
		vaultDir = absolute
	}
	if real, err := filepath.EvalSymlinks(vaultDir); err == nil {
		vaultDir = real
	}
	sum := sha256.Sum256([]byte(vaultDir))
	return Waiting{filepath.Join(folder, "sessions-"+hex.EncodeToString(sum[:8]))}
}

// Session is one that waits.
type Session struct {
	Client string    `json:"client"`
	Path   string    `json:"path"`
	At     time.Time `json:"-"` // when it was added last

	file string
}

// Add lets a session wait. One that waits already waits once.
func (w Waiting) Add(client, path string) error {
	if err := os.MkdirAll(w.folder, 0o700); err != nil {
		return err
	}
	if err := w.makeRoom(); err != nil {
		return err
	}
	text, err := json.Marshal(Session{Client: client, Path: path})
	if err != nil {
		return err
	}
	return atomicfile.WriteNew(filepath.Join(w.folder, nameOf(client, path)+waits), 0o600, func(out io.Writer) error {
		_, err := out.Write(text)
		return err
	})
}

// makeRoom lets the oldest go where as many wait as may.
func (w Waiting) makeRoom() error {
	if entries, err := os.ReadDir(w.folder); err != nil || len(entries) < mostWaiting {
		return err
	}
	all, err := w.All()
	for _, old := range all[:max(0, len(all)+1-mostWaiting)] {
		w.Remove(old)
	}
	return err
}

func nameOf(client, path string) string {
	sum := sha256.Sum256([]byte(client + "\x00" + path))
	return hex.EncodeToString(sum[:16])
}

// All lists the sessions that wait, the oldest first.
func (w Waiting) All() ([]Session, error) {
	entries, err := os.ReadDir(w.folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []Session
	for _, e := range entries {
		if name := e.Name(); strings.HasSuffix(name, waits) || strings.HasSuffix(name, isTaken) {
			if s, err := w.read(name); err == nil {
				all = append(all, s)
			} else if !errors.Is(err, fs.ErrNotExist) {
				_ = atomicfile.Remove(filepath.Join(w.folder, name)) // none of ours
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Session) int { return a.At.Compare(b.At) })
	return all, nil
}

func (w Waiting) read(name string) (s Session, err error) {
	f, err := plainfile.Open(filepath.Join(w.folder, name))
	if err != nil {
		return s, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return s, err
	}
	text, err := io.ReadAll(io.LimitReader(f, longestItem))
	if err != nil {
		return s, err
	}
	s.At, s.file = info.ModTime(), name
	return s, json.Unmarshal(text, &s)
}

// Take marks a session as one that the owner is reading: what is added from here on waits anew.
func (w Waiting) Take(s Session) (Session, error) {
	taken := strings.TrimSuffix(s.file, waits)
	if taken == s.file {
		return s, nil // by an owner that did not end it
	}
	taken += isTaken
	if err := atomicfile.Rename(filepath.Join(w.folder, s.file), filepath.Join(w.folder, taken)); err != nil {
		return s, err
	}
	s.file = taken
	return s, nil
}

// Return lets a session wait again that was taken.
func (w Waiting) Return(s Session) error {
	again := strings.TrimSuffix(s.file, isTaken) + waits
	if _, err := os.Lstat(filepath.Join(w.folder, again)); err == nil { // added meanwhile
		w.Remove(s)
		return nil
	}
	return atomicfile.Rename(filepath.Join(w.folder, s.file), filepath.Join(w.folder, again))
}

// Remove lets a session wait no longer.
func (w Waiting) Remove(s Session) { _ = atomicfile.Remove(filepath.Join(w.folder, s.file)) }
