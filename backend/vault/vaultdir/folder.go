package vaultdir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"keepsake/backend/atomicfile"
)

// A vault's folder may come from an archive, a stick or a disk that others write
// to, so nothing in it is followed or opened but what the format says is there
// (docs/vault-format.md §1.1): regular files and folders, no links, owned by who
// runs this process or by the owner of the folder they are in.

// Check refuses a folder in which a name of the format is of another kind.
// It writes nothing. A folder that is not there is none of its concern.
func Check(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return ErrNotReadable(dir, err)
	}
	if err := checkEntries(dir, entries, entryOfVault); err != nil {
		return err
	}
	copies := filepath.Join(dir, SnapshotsName)
	err = errors.Join(
		checkIn(filepath.Join(dir, BlobsName), entryOfBlobs),
		checkIn(filepath.Join(dir, JournalsName), entryOfJournal),
		checkIn(copies, entryOfSnapshots),
	)
	if err != nil {
		return err
	}
	made, err := Generations(copies)
	if err != nil && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	for _, generation := range made {
		if err := checkIn(filepath.Join(copies, GenerationName(generation)), entryOfVault); err != nil {
			return err
		}
	}
	return nil
}

// kindOf is the kind that the format gives a name in one of the vault's folders:
// 0 for a regular file, fs.ModeDir for a folder. ours is false for other names.
type kindOf func(name string) (kind fs.FileMode, ours bool)

func entryOfVault(name string) (fs.FileMode, bool) {
	switch name {
	case BlobsName, JournalsName, SnapshotsName:
		return fs.ModeDir, true
	case HeadName, HeadCopyName, DataName, LockName, MarkName, TriesName, IndexName:
		return 0, true
	}
	return 0, IsTemporary(name) || strings.HasPrefix(name, DamagedPrefix)
}

func entryOfBlobs(name string) (fs.FileMode, bool) { return 0, IsBlobRef(name) || IsTemporary(name) }

func entryOfJournal(name string) (fs.FileMode, bool) {
	return 0, isGeneration(name) || IsTemporary(name)
}

func entryOfSnapshots(name string) (fs.FileMode, bool) {
	return fs.ModeDir, isGeneration(name) || IsTemporary(name)
}

// IsTemporary reports a name that only files of a process that was killed have.
func IsTemporary(name string) bool {
	return strings.HasPrefix(name, atomicfile.TempPrefix) || strings.HasPrefix(name, ".keepsake-scratch-")
}

func isGeneration(name string) bool {
	_, ok := generationOf(name)
	return ok
}

// checkIn is checkEntries of a folder inside the vault's folder.
func checkIn(folder string, kind kindOf) error {
	entries, err := ReadDir(folder)
	if errors.Is(err, fs.ErrPermission) {
		return nil // nothing in it is read or removed, either; whoever needs it says so
	}
	if err != nil {
		return err
	}
	return checkEntries(folder, entries, kind)
}

// checkEntries compares what a folder holds with the format.
func checkEntries(folder string, entries []os.DirEntry, kind kindOf) error {
	for _, e := range entries {
		want, ours := kind(e.Name())
		if !ours {
			continue
		}
		path := filepath.Join(folder, e.Name())
		if e.Type() != want {
			return errNotOurs(path, want)
		}
		if IsBlobRef(e.Name()) {
			continue // there may be very many; Open looks at the owner of each
		}
		if _, err := Lstat(path, want); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// ReadDir lists a folder inside the vault's folder, in order of names; nothing
// where there is none. A link is not followed.
func ReadDir(folder string) ([]os.DirEntry, error) {
	_, err := Lstat(folder, fs.ModeDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", filepath.Base(folder), err)
	}
	return entries, nil
}

// Lstat looks at a name of the vault without following it.
func Lstat(path string, kind fs.FileMode) (os.FileInfo, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	return info, checkOwn(path, info, kind)
}

func checkOwn(path string, info os.FileInfo, kind fs.FileMode) error {
	if info.Mode().Type() != kind {
		return errNotOurs(path, kind)
	}
	if isForeign(path, info) {
		return errOtherOwner(path)
	}
	return nil
}

// Open opens a file of the vault. It waits for nothing, and follows no link:
// what is not a regular file of the vault's own is a fault that names it, also
// where it took the place of one a moment ago.
func Open(path string, flag int) (*os.File, error) {
	_, err := Lstat(path, 0)
	if err != nil && !(errors.Is(err, fs.ErrNotExist) && flag&os.O_CREATE != 0) {
		return nil, err
	}
	f, err := openFile(path, flag)
	if isLinkError(err) {
		return nil, errNotOurs(path, 0)
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = checkOwn(path, info, 0)
	}
	if err == nil && flag&(os.O_WRONLY|os.O_RDWR) != 0 && hasSecondName(f, info) {
		err = errSecondName(path)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// ReadFile reads a file of the vault that is no longer than most bytes.
func ReadFile(path string, most int64) ([]byte, error) {
	f, err := Open(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(raw)) > most {
		err = fmt.Errorf("read %s: longer than %d bytes", filepath.Base(path), most)
	}
	return raw, err
}

// Mkdir makes a folder in the vault's folder, unless it is there.
func Mkdir(path string) error {
	if err := os.Mkdir(path, DirPerm); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make folder: %w", err)
	}
	_, err := Lstat(path, fs.ModeDir)
	return err
}

// IsBlobRef keeps everything but our own names away from the file system.
func IsBlobRef(ref string) bool {
	if len(ref) != BlobRefSize {
		return false
	}
	for _, c := range []byte(ref) {
		if !IsRefDigit(c) {
			return false
		}
	}
	return true
}

// IsRefDigit reports that references have such a character.
func IsRefDigit(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' }
