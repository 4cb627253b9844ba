package core

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"keepsake/backend/atomicfile"
	"keepsake/backend/core/files"
	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
	"keepsake/backend/schema"
	"keepsake/backend/seal"
)

// parcel is a file, zip or folder that is written, and read again before it gets
// its name.
type parcel struct {
	service    *Service
	dest       string // absolute
	shape      shape
	rules      *schema.Set
	passphrase []byte   // nil: not encrypted
	key        *pam.Key // nil: not signed

	summary pam.Summary
	report  pam.Report
}

func (s *Service) parcelTo(dest string) (p parcel, err error) {
	p = parcel{service: s, shape: shapeOf(dest)}
	if p.dest, err = filepath.Abs(dest); err != nil {
		return p, files.ErrDestination(dest, err)
	}
	p.rules, err = s.lib.Rules()
	return p, err
}

// shape of what is written.
type shape int

const (
	asFile shape = iota
	asZip
	asFolder
)

// shapeOf reads the shape from the name: a folder where it ends in a slash or
// is one, a zip where it ends in .zip, a file where it ends in .json or .pam
// (all before .age) or is one, and a folder otherwise.
func shapeOf(dest string) shape {
	if strings.HasSuffix(dest, "/") || strings.HasSuffix(dest, string(filepath.Separator)) {
		return asFolder
	}
	info, err := os.Stat(dest)
	if err == nil && info.IsDir() {
		return asFolder
	}
	bare, sealed := strings.CutSuffix(strings.ToLower(dest), ".age")
	switch filepath.Ext(bare) {
	case ".zip":
		return asZip
	case ".json", ".pam":
		return asFile
	}
	if sealed || err == nil {
		return asFile
	}
	return asFolder
}

// sealable refuses what cannot be encrypted, and a name that promises it.
func (p *parcel) sealable() error {
	if p.passphrase == nil {
		if strings.EqualFold(filepath.Ext(p.dest), ".age") {
			return fault.New(fault.Invalid, "export-age-plain", "A file that ends in .age is encrypted, and no passphrase was given for it.").
				Advise("Give a passphrase, or name the file without .age.")
		}
		return nil
	}
	if p.shape == asFolder {
		return fault.New(fault.Invalid, "export-folder-encrypted", "A folder cannot be encrypted as one.").
			Advise("Name a file that ends in .zip.")
	}
	return seal.CheckPassphrase(p.passphrase)
}

// target is where the bytes of a parcel go: the file (or zip) or the folder, as
// its shape says.
type target struct {
	file   io.Writer
	folder string
}

// into is the target as the format takes it; date is that of a zip's entries.
func (p *parcel) into(to target, date memory.Time) pam.Target {
	switch p.shape {
	case asFolder:
		return pam.ToFolder(to.folder)
	case asZip:
		return pam.ToZip(to.file, date)
	}
	return pam.ToFile(to.file)
}

// fill writes the parcel beside its place, has what was written checked, and
// moves it there. The check sees a file that is encrypted as it is underneath.
func (p *parcel) fill(write func(target) error, check func(intake.Source) error) error {
	if p.shape != asFolder {
		return p.fillFile(write, check)
	}
	return inFolder(p.dest, func(temp string) error {
		if err := write(target{folder: temp}); err != nil {
			return err
		}
		source, err := intake.FromPath(temp)
		if err != nil {
			return err
		}
		return check(source)
	})
}

func (p *parcel) fillFile(write func(target) error, check func(intake.Source) error) error {
	f, err := atomicfile.New(p.dest, 0o600)
	if err != nil {
		return err
	}
	defer f.Abort()
	out, err := p.sealed(f)
	if err != nil {
		return err
	}
	if err := errors.Join(write(target{file: out}), out.Close()); err != nil {
		return err
	}
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	at, size, err := p.plainAt(f, size)
	if err != nil {
		return err
	}
	flushed := make(chan error, 1)
	go func() { flushed <- f.Sync() }() // the disk has time while what was written is read
	err = check(intake.FromReaderAt(filepath.Base(p.dest), size, at))
	if err := errors.Join(err, <-flushed); err != nil {
		return err
	}
	return f.Commit()
}

// sealed is where the bytes of an export go: into the file, or through age.
func (p *parcel) sealed(f *atomicfile.File) (io.WriteCloser, error) {
	if p.passphrase == nil {
		return keptOpen{f}, nil
	}
	return pam.Encrypt(f, p.passphrase)
}

// keptOpen is a file that stays open after Close: it is still to be verified.
type keptOpen struct{ io.Writer }

func (keptOpen) Close() error { return nil }

// plainAt is what lies in the file, decrypted again where it is encrypted.
func (p *parcel) plainAt(at io.ReaderAt, size int64) (io.ReaderAt, int64, error) {
	if p.passphrase == nil {
		return at, size, nil
	}
	at, size, err := pam.DecryptAt(at, size, p.passphrase)
	if err != nil {
		return nil, 0, fmt.Errorf("open export again: %w", err)
	}
	return at, size, nil
}

// inFolder fills a folder beside its place and moves it there. A folder that
// exists must be empty.
func inFolder(dest string, fill func(temp string) error) error {
	if entries, err := os.ReadDir(dest); err == nil && len(entries) > 0 {
		return fault.New(fault.Conflict, "export-folder-not-empty", "The folder {folder} is not empty; nothing was written.").With("folder", filepath.Base(dest)).
			Advise("Choose an empty folder or a new name.")
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	temp, err := atomicfile.NewFolder(dest)
	if err != nil {
		return err
	}
	defer temp.Close()
	defer os.RemoveAll(temp.Path)
	if err := fill(temp.Path); err != nil {
		return err
	}
	if err := os.Remove(dest); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(temp.Path, dest)
}
