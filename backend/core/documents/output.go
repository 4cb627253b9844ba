package documents

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"keepsake/backend/atomicfile"
	"keepsake/backend/core/files"
	"keepsake/backend/core/library"
	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
	"keepsake/backend/schema"
	"keepsake/backend/seal"
)

// Output writes a document to a file, zip or folder. It writes under a temporary name, and
// renames the result to Dest after it was read back and verified.
type Output struct {
	Files      *files.Opener
	Dest       string // absolute
	Shape      Shape
	rules      *schema.Set
	Passphrase []byte   // nil: not encrypted
	Key        *pam.Key // nil: not signed

	Summary pam.Summary
	Report  pam.Report
}

// NewOutput returns an Output to dest, in the shape that the name dest indicates.
func NewOutput(lib *library.Library, opener *files.Opener, dest string) (p Output, err error) {
	p = Output{Files: opener, Shape: shapeOf(dest)}
	if p.Dest, err = filepath.Abs(dest); err != nil {
		return p, files.ErrDestination(dest, err)
	}
	p.rules, err = lib.Rules()
	return p, err
}

// Shape is the kind of an Output: file, zip or folder.
type Shape int

// Shapes of an Output.
const (
	AsFile Shape = iota
	AsZip
	AsFolder
)

// shapeOf derives the shape from dest: a folder if it ends in a slash or is a folder. Else
// the extension before a final .age decides: a zip for .zip, a file for .json and .pam.
// Any other name is a file if it ends in .age or exists, and a folder otherwise.
func shapeOf(dest string) Shape {
	if strings.HasSuffix(dest, "/") || strings.HasSuffix(dest, string(filepath.Separator)) {
		return AsFolder
	}
	info, err := os.Stat(dest)
	if err == nil && info.IsDir() {
		return AsFolder
	}
	bare, sealed := strings.CutSuffix(strings.ToLower(dest), ".age")
	switch filepath.Ext(bare) {
	case ".zip":
		return AsZip
	case ".json", ".pam":
		return AsFile
	}
	if sealed || err == nil {
		return AsFile
	}
	return AsFolder
}

// CheckEncryption returns an error if a folder is to be encrypted, if the passphrase is
// unusable, or if Dest ends in .age without a passphrase.
func (p *Output) CheckEncryption() error {
	if p.Passphrase == nil {
		if strings.EqualFold(filepath.Ext(p.Dest), ".age") {
			return fault.New(fault.Invalid, "export-age-plain", "A file that ends in .age is encrypted, and no passphrase was given for it.").
				Advise("Give a passphrase, or name the file without .age.")
		}
		return nil
	}
	if p.Shape == AsFolder {
		return fault.New(fault.Invalid, "export-folder-encrypted", "A folder cannot be encrypted as one.").
			Advise("Name a file that ends in .zip.")
	}
	return seal.CheckPassphrase(p.Passphrase)
}

// Target is where an Output writes its bytes: a file (also for a zip) or a folder.
type Target struct {
	File   io.Writer
	folder string
}

// into converts a Target to a pam.Target. date is the time of the entries in a zip.
func (p *Output) into(to Target, date memory.Time) pam.Target {
	switch p.Shape {
	case AsFolder:
		return pam.ToFolder(to.folder)
	case AsZip:
		return pam.ToZip(to.File, date)
	}
	return pam.ToFile(to.File)
}

// Fill calls write with a temporary file or folder next to Dest, then check with the
// written content (decrypted, if the file is encrypted), and renames it to Dest if both
// succeed.
func (p *Output) Fill(write func(Target) error, check func(intake.Source) error) error {
	return finish(p.prepare(write, check))
}

// finish commits what was prepared, unless that failed.
func finish(commit func() error, err error) error {
	if err != nil {
		return err
	}
	return commit()
}

// prepare is Fill up to the rename, which commit does and which must be called. Windows
// gives no file the name of an open one, so who reads the file at Dest closes it in between.
func (p *Output) prepare(write func(Target) error, check func(intake.Source) error) (commit func() error, err error) {
	if p.Shape != AsFolder {
		return p.prepareFile(write, check)
	}
	return prepareFolder(p.Dest, func(temp string) error {
		if err := write(Target{folder: temp}); err != nil {
			return err
		}
		source, err := intake.FromPath(temp)
		if err != nil {
			return err
		}
		return check(source)
	})
}

// prepareDocument calls prepare and verifies the result: it opens the finished document as
// any reader would, and passes its tree to check.
func (p *Output) prepareDocument(ctx context.Context, write func(Target) error, check func(context.Context, *intake.Tree) error) (commit func() error, err error) {
	return p.prepare(write, func(source intake.Source) error {
		tree, err := intake.Open(ctx, []intake.Source{source}, p.Files.IntakeOptions())
		if err != nil {
			return fmt.Errorf("read finished file again: %w", err)
		}
		defer tree.Close()
		return check(ctx, tree)
	})
}

func (p *Output) prepareFile(write func(Target) error, check func(intake.Source) error) (commit func() error, err error) {
	f, err := atomicfile.New(p.Dest, 0o600)
	if err != nil {
		return nil, err
	}
	if err := p.fillFile(f, write, check); err != nil {
		f.Abort()
		return nil, err
	}
	return f.Commit, nil
}

func (p *Output) fillFile(f *atomicfile.File, write func(Target) error, check func(intake.Source) error) (err error) {
	if p.Passphrase == nil {
		err = write(Target{File: f})
	} else if out, sealing := pam.Encrypt(f, p.Passphrase); sealing != nil {
		err = sealing
	} else {
		err = errors.Join(write(Target{File: out}), out.Close())
	}
	if err != nil {
		return err
	}
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	at := io.ReaderAt(f)
	if p.Passphrase != nil {
		if at, size, err = pam.DecryptAt(f, size, p.Passphrase); err != nil {
			return fmt.Errorf("open export again: %w", err)
		}
	}
	flushed := make(chan error, 1)
	go func() { flushed <- f.Sync() }() // flushes while check reads the file
	err = check(intake.FromReaderAt(filepath.Base(p.Dest), size, at))
	return errors.Join(err, <-flushed)
}

// WriteFolder calls fill with a temporary folder next to dest, and then renames that
// folder to dest. If dest exists, it must be empty.
func WriteFolder(dest string, fill func(temp string) error) error {
	return finish(prepareFolder(dest, fill))
}

// prepareFolder is WriteFolder up to the rename, which commit does and which must be called.
func prepareFolder(dest string, fill func(temp string) error) (commit func() error, err error) {
	if entries, err := os.ReadDir(dest); err == nil && len(entries) > 0 {
		return nil, fault.New(fault.Conflict, "export-folder-not-empty", "The folder {folder} is not empty; nothing was written.").With("folder", filepath.Base(dest)).
			Advise("Choose an empty folder or a new name.")
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	temp, err := atomicfile.NewFolder(dest)
	if err != nil {
		return nil, err
	}
	remove := func() {
		_ = atomicfile.RemoveAll(temp.Path)
		temp.Close()
	}
	if err := fill(temp.Path); err != nil {
		remove()
		return nil, err
	}
	return func() error {
		defer remove()
		if err := os.Remove(dest); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return atomicfile.Rename(temp.Path, dest)
	}, nil
}

// Payload is the content of a PAM document: the memory store, the other files of a
// bundle, and the options to write them.
type Payload struct {
	Source  pam.Source
	Bundle  pam.Bundle
	Options pam.Options
}

// Write writes a payload to Dest in the shape of p, and verifies the result.
func (p *Output) Write(ctx context.Context, c Payload) error {
	return finish(p.prepareDocument(ctx, func(to Target) (err error) {
		switch p.Shape {
		case AsFolder:
			p.Summary, err = pam.WriteFolder(to.folder, c.Source, c.Bundle, c.Options)
		case AsZip:
			p.Summary, err = pam.WriteZip(to.File, c.Source, c.Bundle, c.Options)
		default:
			p.Summary, err = pam.WriteStore(to.File, c.Source, c.Options)
		}
		return err
	}, p.verify))
}

func (p *Output) verify(ctx context.Context, tree *intake.Tree) (err error) {
	trust, want := pam.Trust{}, pam.Unsigned
	if p.Key != nil {
		trust.Own, want = []pam.Public{p.Key.Public()}, pam.Own
	}
	if p.Report, err = pam.Verify(ctx, tree, p.rules, trust); err != nil {
		return fmt.Errorf("verify export: %w", err)
	}
	bad, err := pam.CheckCompanions(ctx, tree, p.rules)
	if err != nil {
		return fmt.Errorf("check what lies beside the export: %w", err)
	}
	if p.Report.Verdict != want || !p.Report.Valid || len(bad) > 0 {
		return fault.New(fault.Internal, "export-not-verified", "The finished export did not verify, so it was thrown away.").
			Advise("Try again. If it happens again, report it with the details; they hold no content.")
	}
	return nil
}
