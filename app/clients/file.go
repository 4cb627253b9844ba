package clients

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"keepsake/backend/atomicfile"
	"keepsake/backend/fault"
	"keepsake/backend/plainfile"
)

// mostBytes is how large settings may be: those of Claude Code hold a history of projects.
const mostBytes = 4 << 20

// file is a client's file as it was read.
type file struct {
	path   string // where links lead to
	exists bool
	perm   fs.FileMode
	text   []byte
}

// readFile reads a file, or says that there is none.
func readFile(path string) (file, error) {
	resolved, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(path); err == nil {
			return file{}, fault.New(fault.Invalid, "client-link-broken", "{name} is a link to a file that does not exist.").With("name", filepath.Base(path))
		}
		return file{path: path, perm: 0o600}, nil
	}
	if err != nil {
		return file{}, errUnreadable(path, err)
	}
	f, err := plainfile.Open(resolved)
	if fault.Known(err) {
		return file{}, err
	}
	if err != nil {
		return file{}, errUnreadable(path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return file{}, errUnreadable(path, err)
	}
	text, err := io.ReadAll(io.LimitReader(f, mostBytes+1))
	if err != nil {
		return file{}, errUnreadable(path, err)
	}
	if len(text) > mostBytes {
		return file{}, errTooLarge(path)
	}
	return file{resolved, true, info.Mode().Perm(), text}, nil
}

func errUnreadable(path string, cause error) error {
	return fault.New(fault.Refused, "client-file-unreadable", "This account cannot read {name}.").With("name", filepath.Base(path)).Because(cause)
}

func errTooLarge(path string) error {
	return fault.New(fault.TooLarge, "client-file-too-large", "{name} is too large for a file with settings: more than {limit} MiB.").
		With("name", filepath.Base(path)).With("limit", mostBytes>>20)
}

// Write carries the plan out and returns the path of the backup, "" where there was no file.
// A file that is not as it was when the plan was made is refused.
func (p Plan) Write() (backup string, err error) {
	if p.Exists {
		if p.original.perm&0o200 == 0 {
			return "", errUnwritable(p.Path, fs.ErrPermission)
		}
		if backup, err = p.backUp(); err != nil {
			return "", errUnwritable(p.Path, err)
		}
	} else if err := p.makeFolder(); err != nil {
		return "", err
	}
	if err := p.replace(); err != nil {
		if backup != "" {
			_ = atomicfile.Remove(backup)
		}
		return "", err
	}
	return backup, nil
}

// replace gives the new file its name right after it looked whether the old one is as it was.
func (p Plan) replace() error {
	f, err := atomicfile.New(p.Path, p.original.perm)
	if err != nil {
		return errUnwritable(p.Path, err)
	}
	defer f.Abort()
	if _, err := f.Write(p.After); err != nil {
		return errUnwritable(p.Path, err)
	}
	now, err := readFile(p.Path)
	if err != nil {
		return err
	}
	if now.path != p.Path || now.exists != p.Exists || !bytes.Equal(now.text, p.Before) {
		return fault.New(fault.Conflict, "client-file-changed", "Another program changed {name} meanwhile.").
			With("name", filepath.Base(p.Path)).Advise("Try again, and look at the change once more.")
	}
	if err := f.Commit(); err != nil {
		return errUnwritable(p.Path, err)
	}
	return nil
}

// makeFolder makes the folder of a client that is installed but has no settings yet; where
// not even the folder above exists, it is not installed.
func (p Plan) makeFolder() error {
	folder := filepath.Dir(p.Path)
	err := os.Mkdir(folder, 0o700)
	switch {
	case err == nil, errors.Is(err, fs.ErrExist):
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return fault.New(fault.NotFound, "client-not-installed", "{client} does not seem to be installed: there is no folder {folder}.").
			With("client", p.Client.Name).With("folder", filepath.Dir(folder)).Advise("Start {client} once, or say where its file is.").Because(err)
	}
	return errUnwritable(p.Path, err)
}

func errUnwritable(path string, cause error) error {
	return fault.New(fault.Refused, "client-file-unwritable", "This account cannot write {name}, or there is no room for it.").
		With("name", filepath.Base(path)).Because(cause)
}

// mostBackups is how many backups of one file may lie beside it.
const mostBackups = 1000

// backUp copies the file as it was read to a name that is not taken.
func (p Plan) backUp() (string, error) {
	for n := 1; n <= mostBackups; n++ {
		path := p.Path + ".keepsake-backup"
		if n > 1 {
			path += "-" + strconv.Itoa(n)
		}
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, p.original.perm)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = f.Write(p.Before)
		if err = errors.Join(err, f.Chmod(p.original.perm), f.Sync(), f.Close()); err != nil {
			_ = atomicfile.Remove(path)
			return "", err
		}
		return path, nil
	}
	return "", fs.ErrExist
}
