package vault

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"syscall"

	berrors "go.etcd.io/bbolt/errors"

	"keepsake/backend/fault"
	"keepsake/backend/vault/vaultdir"
)

func errNoVault(dir string) error {
	return fault.New(fault.NotFound, "no-vault", "There is no vault in {folder}.").With("folder", dir).
		Advise("Make one, or name the folder of another vault.")
}

func errLocked() error {
	return fault.New(fault.Locked, "vault-locked", "The vault is locked.").
		Advise("Unlock it with its passphrase.")
}

func errRekeying() error {
	return fault.New(fault.Busy, "vault-rekeying", "The vault is being given new keys; until that is done it can be read, not changed.").
		Advise("Wait until it has finished, or stop it.")
}

func errBlobsUnderWay() error {
	return fault.New(fault.Busy, "vault-blobs-under-way", "Attachments are being stored, so the vault was not given new keys.").
		Advise("Wait until the import has finished, or stop it, and try again.")
}

func errClosed() error {
	return fault.New(fault.Internal, "vault-closed", "The vault was closed meanwhile.").
		Advise("Open it again.")
}

func errExists(dir string) error {
	return fault.New(fault.Conflict, "vault-exists", "There is a vault in {folder} already; nothing was changed.").With("folder", dir).
		Advise("Open that vault, or choose another folder.")
}

func errNotEmpty(dir, name string) error {
	return fault.New(fault.Conflict, "vault-folder-not-empty", "The folder {folder} holds other things ({name}), so no vault was made in it.").
		With("folder", dir).With("name", name).
		Advise("Choose an empty folder, or a name that does not exist yet.")
}

// errCramped is of a vault that a checkpoint found no room for as it was unlocked.
func errCramped() error {
	return fault.New(fault.TooLarge, "disk-full-at-unlock", "The disk was full as the vault was unlocked, so it can only be read.").
		Advise("Make room, then lock and unlock the vault. Everything stored before is safe.").Because(vaultdir.DiskFullCodes[0])
}

// errNotBackedUp is of a backup that would lack the newest changes.
func errNotBackedUp(cause error) error {
	return fault.New(fault.TooLarge, "no-room-to-back-up", "The disk with the vault is full, and its newest changes must be brought into the data file before a backup.").
		Advise("Make room on the disk with the vault and try again. Everything stored is safe.").Because(cause)
}

// errIndexDiskFull is apart, because a vault without its index has lost nothing.
func errIndexDiskFull(cause error) error {
	return fault.New(fault.TooLarge, "index-disk-full", "The disk is full, so not everything can be searched yet; everything that was stored is safe.").
		Advise("Make room; the search index is completed the next time the vault is unlocked.").Because(cause)
}

// errPoisoned says why a vault refuses further use: a commit that failed, or a
// proof that did.
func errPoisoned(cause error) error {
	if fault.CodeOf(cause) == fault.Damaged {
		return cause
	}
	return fault.New(fault.Refused, "vault-needs-reopening", "Writing to the vault failed before, so Keepsake stopped using it.").
		Advise("Check the disk, then lock and unlock the vault. Everything stored before is safe.").Because(cause)
}

func errDataMissing(dir string) error {
	return fault.New(fault.Damaged, "vault-data-missing", "The vault in {folder} has lost its data file vault.db.").With("folder", dir).
		Advise("Restore the vault from its own copies or from a backup. If it was only being made, make it again here.")
}

// errHeaderOfOthers is of a header file that the data file contradicts.
func errHeaderOfOthers(cause error) error {
	return fault.New(fault.Damaged, "vault-header-contradicted", "A copy of the vault's header says something else than the vault's data file.").
		Advise("It is written anew once the vault was opened.").Because(cause)
}

func errRecordsMissing(cause error) error {
	return fault.New(fault.Damaged, "vault-records-changed", "Records in the vault were removed, doubled, moved or put back to an older version.").
		Advise("Restore the vault from a copy.").Because(cause)
}

func errBehind(commits uint64) error {
	return fault.New(fault.Damaged, "vault-behind", "Changes that were confirmed are missing from the vault's data file ({count}).").With("count", strconv.FormatUint(commits, 10)).
		Advise("Nothing was changed. A restore brings back what the vault's own copies have of them, and says what is lost.")
}

func errAuditBroken(cause error) error {
	return fault.New(fault.Damaged, "vault-audit-broken", "The vault's log is not as it was written.").
		Advise("Entries were removed or changed. Restore the vault from a copy.").Because(cause)
}

func errNotErased(where string) error {
	return fault.New(fault.Internal, "vault-not-erased", "Something of what was to be forgotten is still in {file} of the vault, sealed.").With("file", where).
		Advise("It is no longer part of the vault. Try to forget it again.")
}

func errNoBackup(path string) error {
	return fault.New(fault.NotFound, "no-backup", "There is no file {file}.").With("file", filepath.Base(path)).
		Advise("Name the backup that keepsake backup wrote.")
}

func errNotBackup(path string, cause error) error {
	return fault.New(fault.Invalid, "not-a-backup", "{file} is not a backup of a vault, or it is damaged.").With("file", filepath.Base(path)).
		Advise("Nothing was changed. Try an older backup.").Because(cause)
}

// errNotReplaced is of a restored vault that could not take the name of the one before.
func errNotReplaced(dir string, cause error) error {
	return fault.New(fault.Refused, "vault-not-replaced", "The restored vault could not take the place of the one in {folder}, which is there as before.").With("folder", dir).
		Advise("Close other programs that may have files of it open, then restore again.").Because(cause)
}

// errLeftAside is errNotReplaced where the one before could not get its name back either.
func errLeftAside(dir, aside string, cause error) error {
	return fault.New(fault.Refused, "vault-left-aside", "The restored vault could not take the place of the one in {folder}, which is whole and now in {aside}.").With("folder", dir).With("aside", aside).
		Advise("Close other programs that may have files of it open, and give that folder its former name; then restore again.").Because(cause)
}

func errNoSnapshot() error {
	return fault.New(fault.Damaged, "vault-no-snapshot", "The vault holds no copy of its own to go back to.").
		Advise("Restore it from a backup, or export what can still be read.")
}

func errNoRoom(need int64) error {
	return fault.New(fault.TooLarge, "no-room-for-copy", "There is not enough room on the disk for a copy of the vault; {bytes} bytes are needed.").
		With("bytes", strconv.FormatInt(need, 10)).Advise("Make room. Everything stored is safe, but there is no newer copy of it.")
}

func errNoRoomToCreate(cause error) error {
	return fault.New(fault.TooLarge, "no-room-for-vault", "There is not enough room on the disk for a vault; {bytes} bytes are needed to begin with.").
		With("bytes", strconv.Itoa(leastRoom)).Advise("Make room, or choose a folder on another disk. Nothing was made.").Because(cause)
}

func errHeaderOld() error {
	return fault.New(fault.Damaged, "vault-header-old", "The vault's header is older than its data.").
		Advise("Nothing was changed. Restore vault.head from the newest copy of the vault.")
}

func errNoRecord() error {
	return fault.New(fault.NotFound, "no-record", "Nothing in the vault has this id.")
}

func errNoBlob() error {
	return fault.New(fault.NotFound, "no-attachment", "This attachment is not in the vault.").
		Advise("Import its export again to bring it back.")
}

// writingIndex is writing, of the index.
func writingIndex(err error) error {
	if err = vaultdir.ErrWriting(err); fault.From(err) != nil && fault.From(err).Reason == "disk-full" {
		return errIndexDiskFull(err)
	}
	return err
}

func dataFault(path string, err error) error {
	switch {
	case vaultdir.IsFault(err):
		return err
	case errors.Is(err, syscall.ENOMEM):
		return vaultdir.ErrNoMemory(err)
	case errors.Is(err, berrors.ErrTimeout):
		return vaultdir.ErrBusy(err)
	case vaultdir.IsForbidden(err):
		return vaultdir.ErrForbidden(path, err)
	case vaultdir.DiskFull(err):
		return vaultdir.ErrDiskFull(err)
	}
	return errDataDamaged(fmt.Errorf("open data file: %w", err))
}

func errDataDamaged(cause error) error {
	return fault.New(fault.Damaged, "vault-data-damaged", "The vault's data file is damaged.").
		Advise("Restore the vault from a copy.").Because(cause)
}

// errFilePage says which page of the data file the pre-flight stumbled over.
func errFilePage(page uint64, c check) error {
	return fault.New(fault.Damaged, "vault-file-page", "Page {page} of the vault's data file is damaged.").With("page", page).
		Advise("Nothing was changed. Restore the vault from a copy.").Because(fmt.Errorf("pre-flight: page %d: %w", page, c))
}

func errFileStart(c check) error {
	return fault.New(fault.Damaged, "vault-file-start", "The beginning of the vault's data file is damaged.").
		Advise("Nothing was changed. Restore the vault from a copy.").Because(fmt.Errorf("pre-flight: %w", c))
}

func errFileFree(c check) error {
	return fault.New(fault.Damaged, "vault-file-free", "The vault's data file is damaged where it says which of its pages are free.").
		Advise("Nothing was changed. Restore the vault from a copy.").Because(fmt.Errorf("pre-flight: %w", c))
}

func errFileShort(size, need uint64) error {
	return fault.New(fault.Damaged, "vault-file-short", "The vault's data file was cut off: it has {size} bytes and needs {need}.").
		With("size", size).With("need", need).
		Advise("Nothing was changed. Restore the vault from a copy.").Because(fmt.Errorf("pre-flight: %w", tooShort))
}

func errFileRead(at int64, cause error) error {
	return fault.New(fault.Damaged, "vault-file-unreadable", "The disk does not give out the vault's data file from byte {at} on.").With("at", at).
		Advise("Nothing was changed. Check the disk, then restore the vault from a copy.").Because(fmt.Errorf("pre-flight: %w", cause))
}

// warnStartPage is a warning: the file can be used, but it may have lost its
// newest commit with the page.
func warnStartPage(c check) error {
	return fault.New(fault.Damaged, "vault-file-start-page", "One of the two start pages of the vault's data file is damaged; the other one is used.").
		Advise("Check that the newest changes are there. The page is written anew with the next change.").Because(fmt.Errorf("pre-flight: %w", c))
}
