package vault

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.etcd.io/bbolt"

	"keepsake/backend/atomicfile"
	"keepsake/backend/plainfile"
	"keepsake/backend/seal"
	"keepsake/backend/vault/journal"
	"keepsake/backend/vault/vaultdir"
)

// A backup is one file: a zip, nothing compressed, of vault.head, vault.db and
// blobs/ (docs/vault-format.md §10.11). All of it is sealed as in the vault, and
// opens with the same passphrase or recovery code.

// BackupInfo is what a backup holds, as far as it was looked at.
type BackupInfo struct {
	VaultID string
	MadeAt  time.Time // of the last change in it
	Counts  State
	// Messages are those in which something is said, as conversations count them.
	Messages int
	Values   int // sealed values that opened
	Blobs    int // attachments that opened
	Missing  int // attachments that its records name and that it does not hold
	Size     int64
}

// Naming yields the attachments that records name.
type Naming func(tx *Tx, yield func(ref string)) error

// Backup writes the vault as it is now to w. Others go on meanwhile; what they
// change is not in it. It does not say that the backup is good: CheckBackup does.
func (v *Vault) Backup(ctx context.Context, w io.Writer) error {
	v.backing.RLock()
	defer v.backing.RUnlock()
	if err := v.Checkpoint(); vaultdir.DiskFull(err) {
		return errNotBackedUp(err)
	} else if err != nil {
		return err
	}
	_, db, err := v.enter()
	if err != nil {
		return err
	}
	defer v.leave()
	bt, err := db.Begin(false)
	if err != nil {
		return fmt.Errorf("begin backup: %w", err)
	}
	defer func() { _ = bt.Rollback() }()
	refs, err := v.Blobs() // each is there before a record names it
	if err != nil {
		return err
	}
	z := zip.NewWriter(w)
	b := backup{ctx: ctx, z: z, at: v.now()}
	v.mu.Lock()
	head := v.header.Bytes()
	v.mu.Unlock()
	if err := b.put(vaultdir.HeadName, bytes.NewReader(head)); err != nil {
		return err
	}
	if err := b.data(bt); err != nil {
		return err
	}
	if err := b.blobs(v.dir, refs); err != nil {
		return err
	}
	return z.Close()
}

type backup struct {
	ctx context.Context
	z   *zip.Writer
	at  time.Time
}

func (b *backup) entry(name string) (io.Writer, error) {
	w, err := b.z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store, Modified: b.at.UTC()})
	if err != nil {
		return nil, fmt.Errorf("write backup: %w", err)
	}
	return w, b.ctx.Err()
}

func (b *backup) put(name string, r io.Reader) error {
	w, err := b.entry(name)
	if err != nil {
		return err
	}
	if _, err := io.Copy(w, r); err != nil {
		return fmt.Errorf("write backup: %w", err)
	}
	return nil
}

func (b *backup) data(bt *bbolt.Tx) error {
	w, err := b.entry(vaultdir.DataName)
	if err != nil {
		return err
	}
	return contained(func() error {
		if _, err := bt.WriteTo(w); err != nil {
			return fmt.Errorf("write backup: %w", err)
		}
		return nil
	})
}

func (b *backup) blobs(dir string, refs []string) error {
	for _, ref := range refs {
		f, err := vaultdir.Open(filepath.Join(dir, vaultdir.BlobsName, ref), os.O_RDONLY)
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed meanwhile
		}
		if err != nil {
			return fmt.Errorf("read attachment: %w", err)
		}
		err = b.put(vaultdir.BlobsName+"/"+ref, f)
		_ = f.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// CheckBackup reads a backup whole: the header opens, every value and every
// attachment is decrypted, and all of them are what the state counts. Attachments
// that the records name and that are not there are counted. scratch is a folder
// for a sealed temporary copy.
func CheckBackup(ctx context.Context, path, scratch string, names Naming, try Opening) (BackupInfo, error) {
	temp, err := atomicfile.NewFolder(filepath.Join(scratch, "check"))
	if err != nil {
		return BackupInfo{}, vaultdir.ErrWriting(fmt.Errorf("make folder: %w", err))
	}
	defer temp.Close()
	defer func() { _ = vaultdir.RemoveAll(temp.Path) }()
	return unpack(ctx, path, temp.Path, false, names, try)
}

// Restore makes the vault in dir from a backup, after checking it as CheckBackup
// does. A vault that is there already is not written over but put aside whole;
// aside is its new name.
func Restore(ctx context.Context, path, dir string, now time.Time, names Naming, try Opening) (info BackupInfo, aside string, err error) {
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, vaultdir.DirPerm); err != nil {
		return info, "", vaultdir.ErrFolder(parent, err)
	}
	temp, err := atomicfile.NewFolder(dir)
	if err != nil {
		return info, "", vaultdir.ErrFolder(parent, err)
	}
	defer temp.Close()
	defer func() { _ = vaultdir.RemoveAll(temp.Path) }()
	if info, err = unpack(ctx, path, temp.Path, true, names, try); err != nil {
		return info, "", err
	}
	if aside, err = putInPlace(temp.Path, dir, now); err != nil {
		return info, aside, err
	}
	return info, aside, vaultdir.ErrWriting(atomicfile.SyncDir(parent))
}

// putInPlace gives a restored folder the name of the vault. What has it already
// is put aside, unless it is nothing or an empty folder, and gets its name back where
// the restored folder cannot take it.
func putInPlace(temp, dir string, now time.Time) (aside string, err error) {
	if Exists(dir) {
		lock, err := vaultdir.Lock(dir)
		if err != nil {
			return "", err
		}
		defer lock.Close()
		vaultdir.LetRename(lock)
		aside = vaultdir.UnusedPath(dir + asidePrefix + now.UTC().Format(vaultdir.TimeLayout))
		// The vault that was there never has a temporary name, under which it would be
		// tidied away after a kill.
		if err := atomicfile.Rename(temp, aside); err != nil {
			return "", vaultdir.ErrFolder(dir, err)
		}
		if vaultdir.Exchange(aside, dir) { // at every moment there is a vault of this name
			return aside, nil
		}
		if err := errors.Join(atomicfile.Rename(aside, temp), atomicfile.Rename(dir, aside)); err != nil {
			return "", vaultdir.ErrFolder(dir, err)
		}
	} else if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		if err := checkEmpty(dir); err != nil {
			return "", err
		}
		if err := atomicfile.RemoveAll(dir); err != nil {
			return "", vaultdir.ErrFolder(dir, err)
		}
	}
	err = atomicfile.Rename(temp, dir)
	switch {
	case err == nil:
		return aside, nil
	case aside == "":
		return "", vaultdir.ErrWriting(fmt.Errorf("name restored vault: %w", err))
	}
	if back := atomicfile.Rename(aside, dir); back != nil {
		return aside, errLeftAside(dir, aside, errors.Join(err, back))
	}
	return "", errNotReplaced(dir, err)
}

// unpack copies a backup into an empty folder and checks it there. Attachments
// are copied only where they are to stay.
func unpack(ctx context.Context, path, dir string, all bool, names Naming, try Opening) (info BackupInfo, err error) {
	f, err := plainfile.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return info, errNoBackup(path)
	}
	if vaultdir.IsFault(err) {
		return info, err
	}
	if err != nil {
		return info, errNotBackup(path, err)
	}
	defer f.Close()
	opened, err := f.Stat()
	if err != nil {
		return info, errNotBackup(path, err)
	}
	z, err := zip.NewReader(f, opened.Size())
	if err != nil {
		return info, errNotBackup(path, err)
	}
	if err := os.Chmod(dir, vaultdir.DirPerm); err != nil {
		return info, vaultdir.ErrFolder(dir, err)
	}
	u := unpacking{ctx: ctx, dir: dir, path: path, z: z, names: names}
	err = u.run(all, try)
	u.info.Size = opened.Size()
	return u.info, err
}

type unpacking struct {
	ctx  context.Context
	dir  string
	path string
	z    *zip.Reader
	keys *seal.Keys
	info BackupInfo

	names      Naming
	named      map[string]bool // what the records name and was not met yet
	generation uint64          // of the data file
}

func (u *unpacking) run(all bool, try Opening) error {
	raw, err := u.read(vaultdir.HeadName)
	if err != nil {
		return err
	}
	c := parseCopy(vaultdir.HeadName, raw)
	if c.err != nil {
		return c.err
	}
	if u.keys, err = try(c.h); err != nil {
		return err
	}
	defer u.keys.Wipe()
	u.info.VaultID = c.h.VaultID
	if err := u.data(); err != nil {
		return err
	}
	if err := u.blobs(all); err != nil {
		return err
	}
	if err := writeHeader(u.dir, raw, noStep); err != nil || !all {
		return err
	}
	return vaultdir.ErrWriting(u.copyOfItself(raw))
}

// copyOfItself makes the restored data file, which was checked, the first
// snapshot of the vault, and begins the journal that goes on from it.
func (u *unpacking) copyOfItself(head []byte) error {
	dir := filepath.Join(u.dir, vaultdir.SnapshotsName, vaultdir.GenerationName(u.generation))
	if err := os.MkdirAll(dir, vaultdir.DirPerm); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	if err := copyFile(filepath.Join(dir, vaultdir.DataName), filepath.Join(u.dir, vaultdir.DataName)); err != nil {
		return err
	}
	if err := writeHeaderFile(filepath.Join(dir, vaultdir.HeadName), head); err != nil {
		return err
	}
	j, err := journal.New(u.dir, u.keys, u.generation)
	j.Close()
	if err != nil {
		return err
	}
	for _, folder := range []string{vaultdir.BlobsName, vaultdir.SnapshotsName, "."} {
		if err := atomicfile.SyncDir(filepath.Join(u.dir, folder)); err != nil {
			return err
		}
	}
	return nil
}

// read is a small entry.
func (u *unpacking) read(name string) ([]byte, error) {
	f, err := u.z.Open(name)
	if err != nil {
		return nil, errNotBackup(u.path, err)
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, 1<<20))
	if err != nil {
		return nil, errNotBackup(u.path, err)
	}
	return raw, nil
}

// extract copies an entry into the folder and flushes it.
func (u *unpacking) extract(name string) (path string, err error) {
	src, err := u.z.Open(name)
	if err != nil {
		return "", errNotBackup(u.path, err)
	}
	defer src.Close()
	path = filepath.Join(u.dir, filepath.FromSlash(name))
	dst, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, vaultdir.FilePerm)
	if err != nil {
		return "", vaultdir.ErrWriting(fmt.Errorf("unpack backup: %w", err))
	}
	_, reading, err := copyApart(dst, src)
	if err == nil && reading == nil {
		err = dst.Sync()
	}
	if closing := dst.Close(); err == nil {
		err = closing
	}
	if reading != nil {
		return "", errNotBackup(u.path, reading)
	}
	return path, vaultdir.ErrWriting(err)
}

// copyApart is io.Copy that tells errors of the reader from those of the writer.
func copyApart(dst io.Writer, src io.Reader) (n int64, reading, err error) {
	buf := make([]byte, 1<<20)
	for {
		got, reading := src.Read(buf)
		if _, err := dst.Write(buf[:got]); err != nil {
			return n, nil, err
		}
		n += int64(got)
		if errors.Is(reading, io.EOF) {
			return n, nil, nil
		}
		if reading != nil {
			return n, reading, nil
		}
	}
}

func (u *unpacking) data() error {
	path, err := u.extract(vaultdir.DataName)
	if err != nil {
		return err
	}
	s, checked, err := proveCopy(u.ctx, path, u.keys, func(*state) error { return nil })
	if s != nil {
		u.info.Values, u.info.Counts = checked.Values, s.public()
		u.info.MadeAt = u.info.Counts.LastChanged
		u.generation = s.Generation
	}
	if err != nil {
		return err
	}
	return u.naming(path)
}

// naming collects the attachments that the records of a data file name which was
// checked.
func (u *unpacking) naming(path string) error {
	unz, err := newUnpacker()
	if err != nil {
		return err
	}
	defer unz.Close()
	db, err := openCopy(path)
	if err != nil {
		return err
	}
	defer db.Close()
	u.named = map[string]bool{}
	return view(db, func(bt *bbolt.Tx) error {
		tx := (&Vault{unz: unz}).newTx(bt, u.keys, u.keys.Sealer())
		if err := u.names(tx, func(ref string) { u.named[ref] = true }); err != nil {
			return err
		}
		if u.info.Messages, err = tx.said(); err != nil {
			return err
		}
		return tx.failed
	})
}

// blobs checks every attachment, and keeps it where all are to stay.
func (u *unpacking) blobs(keep bool) error {
	if err := os.Mkdir(filepath.Join(u.dir, vaultdir.BlobsName), vaultdir.DirPerm); err != nil {
		return vaultdir.ErrWriting(fmt.Errorf("make folder: %w", err))
	}
	for _, f := range u.z.File {
		ref, ok := strings.CutPrefix(f.Name, vaultdir.BlobsName+"/")
		if !ok || !vaultdir.IsBlobRef(ref) {
			continue
		}
		if err := u.ctx.Err(); err != nil {
			return err
		}
		path, err := u.extract(f.Name)
		if err != nil {
			return err
		}
		if err := readBlob(u.keys, path, ref); err != nil {
			return err
		}
		if !keep {
			if err := vaultdir.RemoveAll(path); err != nil {
				return vaultdir.ErrWriting(err)
			}
		}
		u.info.Blobs++
		delete(u.named, ref)
	}
	u.info.Missing = len(u.named)
	return nil
}
