package vaultdir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"keepsake/backend/fault"
)

// ErrBusy is of a vault that another process has open.
func ErrBusy(cause error) error {
	return fault.New(fault.Busy, "vault-busy", "Another Keepsake has this vault open.").
		Advise("Lock the vault there, close that window or wait for that command, then try again.").Because(cause)
}

// errNotOurs is of a name of the format that is of another kind: a link, a pipe, a
// device, or a folder in the place of a file.
func errNotOurs(path string, kind fs.FileMode) error {
	if kind.IsDir() {
		return fault.New(fault.Refused, "vault-entry-no-folder", "{path} is not the folder that belongs there but a link or something else; it was not followed, and nothing was changed.").With("path", path).
			Advise("Look where it came from and move it away. If a copy of the vault exists, put the folder back from there.")
	}
	return fault.New(fault.Refused, "vault-entry-no-file", "{path} is not the file that belongs there but a link, a folder or something else; it was not opened, and nothing was changed.").With("path", path).
		Advise("Look where it came from and move it away. If a copy of the vault exists, put the file back from there.")
}

func errOtherOwner(path string) error {
	return fault.New(fault.Refused, "vault-entry-other-owner", "{path} in the vault's folder belongs to another account; it was not opened, and nothing was changed.").With("path", path).
		Advise("Look where it came from. If it is the vault's own, give it to the account that the vault's folder belongs to.")
}

// errSecondName is of a file that a write would change under its other name, too.
func errSecondName(path string) error {
	return fault.New(fault.Refused, "vault-entry-second-name", "{path} has a second name elsewhere on the disk (a hard link), so writing to it would change another file; nothing was changed.").With("path", path).
		Advise("Make it a file of its own: copy it, remove it, and give the copy its name.")
}

func ErrFolder(dir string, cause error) error {
	if IsFault(cause) {
		return cause
	}
	if IsForbidden(cause) {
		return errNotWritable(dir, cause)
	}
	return fault.New(fault.Invalid, "vault-folder-unusable", "{folder} cannot be used for a vault.").With("folder", dir).
		Advise("Choose a folder on this computer that you may write to.").Because(cause)
}

// ErrNotReadable does not say that there is a vault: who may not look cannot
// know.
func ErrNotReadable(dir string, cause error) error {
	return fault.New(fault.Refused, "vault-not-readable", "The vault folder {folder} cannot be read: this account is not allowed to.").With("folder", dir).
		Advise("Sign in as the person the folder belongs to, or have its permissions changed. Nothing was changed.").Because(cause)
}

func errNotWritable(dir string, cause error) error {
	return fault.New(fault.Refused, "vault-not-writable", "The vault folder {folder} cannot be written to.").With("folder", dir).
		Advise("Keepsake needs to write there, also to read. Change the permissions of the folder, or copy it to a disk that is not read-only.").Because(cause)
}

// ErrNoMemory is of a data file that the process has no address space for.
func ErrNoMemory(cause error) error {
	return fault.New(fault.TooLarge, "out-of-memory", "This device has not enough free memory to open the vault's data file.").
		Advise("Close other programs and try again.").Because(cause)
}

// IsForbidden reports that the account or the disk forbids it.
func IsForbidden(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, readOnlyDisk)
}

// ErrDiskFull is of a write that found no room.
func ErrDiskFull(cause error) error {
	return fault.New(fault.TooLarge, "disk-full", "The disk is full; nothing of this step was kept.").
		Advise("Make room and try again. Everything stored before is safe.").Because(cause)
}

func errWrite(cause error) error {
	return fault.New(fault.Internal, "vault-write-failed", "The vault could not be written; what was stored before is safe.").
		Advise("Check the disk, then lock and unlock the vault.").Because(cause)
}

// ErrWriting turns an error of the file system into a sentence.
func ErrWriting(err error) error {
	switch {
	case err == nil || IsFault(err):
		return err
	case DiskFull(err):
		return ErrDiskFull(err)
	case errors.Is(err, syscall.ENOMEM):
		return ErrNoMemory(err)
	}
	return errWrite(err)
}

// DiskFull also takes a quota and a limit on the size of files for a full disk.
// bbolt hands some errors on as text only.
func DiskFull(err error) bool {
	for _, code := range DiskFullCodes {
		if errors.Is(err, code) || err != nil && strings.Contains(err.Error(), code.Error()) {
			return true
		}
	}
	return false
}

// ErrForbidden tells a file that may not be read from one that may not be written.
func ErrForbidden(path string, cause error) error {
	f, err := Open(path, os.O_RDONLY)
	if err != nil {
		return ErrNotReadable(filepath.Dir(path), cause)
	}
	_ = f.Close()
	return errNotWritable(filepath.Dir(path), cause)
}
