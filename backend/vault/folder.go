package vault

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

// checkFolder refuses a folder in which a name of the format is of another kind.
// It writes nothing. A folder that is not there is none of its concern.
func checkFolder(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return errNotReadable(dir, err)
	}
	if err := checkEntries(dir, entries, entryOfVault); err != nil {
		return err
	}
	copies := filepath.Join(dir, snapshotsName)
	err = errors.Join(
		checkIn(filepath.Join(dir, blobsName), entryOfBlobs),
		checkIn(filepath.Join(dir, journalsName), entryOfJournal),
		checkIn(copies, entryOfSnapshots),
	)
	if err != nil {
		return err
	}
	made, err := generationsIn(copies)
	if err != nil && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	for _, generation := range made {
		if err := checkIn(filepath.Join(copies, generationName(generation)), entryOfVault); err != nil {
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
	case blobsName, journalsName, snapshotsName:
		return fs.ModeDir, true
	case headName, headCopyName, dataName, lockName, markName, triesName, indexName:
		return 0, true
	}
	return 0, isTemporary(name) || strings.HasPrefix(name, damagedPrefix)
}

func entryOfBlobs(name string) (fs.FileMode, bool) { return 0, isRef(name) || isTemporary(name) }

func entryOfJournal(name string) (fs.FileMode, bool) {
	return 0, isGeneration(name) || isTemporary(name)
}

func entryOfSnapshots(name string) (fs.FileMode, bool) {
	return fs.ModeDir, isGeneration(name) || isTemporary(name)
}

// isTemporary reports a name that only files of a process that was killed have.
func isTemporary(name string) bool {
	return strings.HasPrefix(name, atomicfile.TempPrefix) || strings.HasPrefix(name, ".keepsake-scratch-")
}

func isGeneration(name string) bool {
	_, ok := generationOf(name)
	return ok
}

// checkIn is checkEntries of a folder inside the vault's folder.
func checkIn(folder string, kind kindOf) error {
	entries, err := readFolder(folder)
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
		if isRef(e.Name()) {
			continue // there may be very many; openOwn looks at the owner of each
		}
		if _, err := lstatOwn(path, want); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// readFolder lists a folder inside the vault's folder, in order of names; nothing
// where there is none. A link is not followed.
func readFolder(folder string) ([]os.DirEntry, error) {
	_, err := lstatOwn(folder, fs.ModeDir)
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

// lstatOwn looks at a name of the vault without following it.
func lstatOwn(path string, kind fs.FileMode) (os.FileInfo, error) {
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

// openOwn opens a file of the vault. It waits for nothing, and follows no link:
// what is not a regular file of the vault's own is a fault that names it, also
// where it took the place of one a moment ago.
func openOwn(path string, flag int) (*os.File, error) {
	_, err := lstatOwn(path, 0)
	if err != nil && !(errors.Is(err, fs.ErrNotExist) && flag&os.O_CREATE != 0) {
		return nil, err
	}
	f, err := os.OpenFile(path, flag|noFollow, filePerm)
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
	if err == nil && flag&(os.O_WRONLY|os.O_RDWR) != 0 && hasSecondName(info) {
		err = errSecondName(path)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// readOwn reads a file of the vault that is no longer than most bytes.
func readOwn(path string, most int64) ([]byte, error) {
	f, err := openOwn(path, os.O_RDONLY)
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

// makeOwnFolder makes a folder in the vault's folder, unless it is there.
func makeOwnFolder(path string) error {
	if err := os.Mkdir(path, folderPerm); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make folder: %w", err)
	}
	_, err := lstatOwn(path, fs.ModeDir)
	return err
}
