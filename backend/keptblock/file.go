package keptblock

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"keepsake/backend/atomicfile"
	"keepsake/backend/fault"
	"keepsake/backend/plainfile"
)

// largest is how many bytes a file may have that a text is kept in.
const largest = 4 << 20

// Change is what becomes of a file.
type Change struct {
	Path      string
	Separator string // that was put before the block, "" where it was there
	Exists    bool   // there is a file already
	before    []byte
	after     []byte
	perm      fs.FileMode
	goes      bool // a file that was made for the block goes with it
}

// Changes reports whether there is anything to write.
func (c Change) Changes() bool { return !c.Exists || !bytes.Equal(c.before, c.after) }

// Put plans to keep a text in a file. A file that is not there is made.
func Put(path, text string) (Change, error) {
	c, err := read(path)
	if err != nil {
		return c, err
	}
	c.after, c.Separator, err = put(c.before, text)
	return c, inWords(err, path)
}

// Has reports whether a file has a block.
func Has(path string) (bool, error) {
	c, err := read(path)
	if err != nil {
		return false, err
	}
	_, found, err := inside(c.before)
	return found, inWords(err, path)
}

// Remove plans to take the block out of a file, or its marker lines alone where the text is left. A
// file that was made for the block goes with it where nothing else is in it.
func Remove(path, separator string, leave, made bool) (Change, error) {
	c, err := read(path)
	if err != nil {
		return c, err
	}
	c.after, err = remove(c.before, separator, leave)
	c.goes = made && len(c.after) == 0 && len(c.before) > 0
	return c, inWords(err, path)
}

// read reads a file that may be written: a plain one of this account.
func read(path string) (Change, error) {
	c := Change{Path: path, perm: 0o600}
	before, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, errUnreadable(path, err)
	}
	if !before.Mode().IsRegular() {
		return c, errNotOurs(path)
	}
	f, err := plainfile.Open(path)
	if err != nil {
		return c, errUnreadable(path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return c, errUnreadable(path, err)
	}
	if !os.SameFile(before, info) || !plainfile.IsOwn(info) {
		return c, errNotOurs(path)
	}
	c.Exists, c.perm = true, info.Mode().Perm()
	c.before, err = io.ReadAll(io.LimitReader(f, largest+1))
	if err != nil {
		return c, errUnreadable(path, err)
	}
	if len(c.before) > largest {
		return c, fault.New(fault.TooLarge, "kept-too-large", "{name} is larger than {limit} MiB, too large to write a hand-off into.").With("name", filepath.Base(path)).With("limit", largest>>20)
	}
	return c, nil
}

// Write carries the change out. A file that is not as it was when the change was planned is refused.
func (c Change) Write() error {
	if !c.Changes() {
		return nil
	}
	if c.perm&0o200 == 0 {
		return errUnwritable(c.Path, fs.ErrPermission)
	}
	f, err := atomicfile.New(c.Path, c.perm)
	if err != nil {
		return errUnwritable(c.Path, err)
	}
	defer f.Abort()
	if _, err := f.Write(c.after); err != nil {
		return errUnwritable(c.Path, err)
	}
	now, err := read(c.Path)
	if err != nil {
		return err
	}
	if now.Exists != c.Exists || !bytes.Equal(now.before, c.before) {
		return fault.New(fault.Conflict, "kept-changed-meanwhile", "Another program changed {name} meanwhile.").With("name", filepath.Base(c.Path)).Advise("Try again.")
	}
	if c.goes {
		err = atomicfile.Remove(c.Path)
	} else {
		err = f.Commit()
	}
	if err != nil {
		return errUnwritable(c.Path, err)
	}
	return nil
}

func errNotOurs(path string) error {
	return fault.New(fault.Refused, "kept-not-plain", "{name} is a link, a folder or a device, or belongs to another account, so nothing was written.").With("name", filepath.Base(path))
}

func errUnreadable(path string, cause error) error {
	return fault.New(fault.Refused, "kept-unreadable", "This account cannot read {name}.").With("name", filepath.Base(path)).Because(cause)
}

func errUnwritable(path string, cause error) error {
	return fault.New(fault.Refused, "kept-unwritable", "This account cannot write {name}, its folder is not there, or there is no room for it.").With("name", filepath.Base(path)).Because(cause)
}

// inWords says what is wrong with a text.
func inWords(err error, path string) error {
	switch {
	case errors.Is(err, errMarkers):
		return fault.New(fault.Conflict, "kept-markers", "{name} does not have one pair of the lines between which Keepsake writes, so nothing was written.").With("name", filepath.Base(path)).
			Advise("Leave one pair of them there, or none.")
	case errors.Is(err, errNotText):
		return fault.New(fault.Unsupported, "kept-not-text", "{name} is no text in UTF-8, so nothing was written.").With("name", filepath.Base(path))
	}
	return err
}
