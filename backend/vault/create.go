package vault

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"keepsake/backend/atomicfile"
	"keepsake/backend/fault"
	"keepsake/backend/seal"
	"keepsake/backend/vault/vaultdir"
)

// CreateOptions are what a new vault is made from.
type CreateOptions struct {
	Passphrase []byte // at least seal.MinPassphrase characters; not kept
	KDF        seal.KDF
	Now        func() time.Time // nil = time.Now

	// Cipher is for tests only: seal.Plaintext makes a vault that can be read
	// on disk, as the control of a search for readable bytes. Anything but a
	// test binary refuses it, also to open such a vault. "" = seal.AES256GCM.
	Cipher seal.Cipher
}

// Create makes a vault in dir, which need not exist, and returns it unlocked
// with the recovery key, which is kept nowhere. It exists whole or not at
// all: the data file is built and closed under a temporary name, and gets its
// own name last.
func Create(dir string, o CreateOptions) (*Vault, string, error) {
	if err := o.complete(); err != nil {
		return nil, "", err
	}
	if holdsVault(dir) {
		return nil, "", errExists(dir)
	}
	if err := vaultdir.Hidden(dir); err != nil {
		return nil, "", vaultdir.ErrNotReadable(dir, err)
	}
	if err := roomToCreate(dir); err != nil {
		return nil, "", err
	}
	made, err := makeFolder(dir)
	if err != nil {
		return nil, "", err
	}
	if err := checkEmpty(dir); err != nil {
		return nil, "", err
	}
	v, code, err := createIn(dir, o)
	if err == nil {
		if err = flushNames(dir, made); err != nil {
			err = errors.Join(err, v.Destroy())
		}
	}
	if err != nil {
		if made != "" {
			_ = os.RemoveAll(made)
		}
		return nil, "", creating(err)
	}
	return v, code, nil
}

// MayCreate reports what a Create in dir would be refused for whatever its
// passphrase, so that nobody chooses one in vain. It changes nothing.
func MayCreate(dir string) error {
	if holdsVault(dir) {
		return errExists(dir)
	}
	if err := vaultdir.Hidden(dir); err != nil {
		return vaultdir.ErrNotReadable(dir, err)
	}
	if err := roomToCreate(dir); err != nil {
		return err
	}
	if !vaultdir.Exists(dir, "") {
		return nil
	}
	return checkEmpty(dir)
}

// leastRoom is what the files of a new vault take: its data file, the first copy
// of that, and what the file system and the first changes need beside them.
const leastRoom = 360 << 10

// roomToCreate refuses a vault that would fill the disk of dir, which need not
// exist.
func roomToCreate(dir string) error {
	for !vaultdir.Exists(dir, "") && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
	}
	if free, known := vaultdir.FreeSpace(dir); known && free < leastRoom {
		return errNoRoomToCreate(nil)
	}
	return nil
}

// creating is writing for a vault that is only being made: where the disk is full,
// there is nothing yet that could be safe, and no copy that would be missed.
func creating(err error) error {
	said := vaultdir.ErrWriting(err)
	if f := fault.From(said); f != nil && (f.Reason == "disk-full" || f.Reason == "no-room-for-copy") {
		return errNoRoomToCreate(err)
	}
	return said
}

func (o *CreateOptions) complete() error {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Cipher == "" {
		o.Cipher = seal.AES256GCM
	}
	if o.Cipher != seal.AES256GCM && !testing.Testing() {
		return fmt.Errorf("create vault: cipher %q is for tests", string(o.Cipher))
	}
	if err := seal.CheckPassphrase(o.Passphrase); err != nil {
		return err
	}
	return o.KDF.Check()
}

// holdsVault reports that there is a data file, or a copy it can be made from.
func holdsVault(dir string) bool {
	made, err := snapshots(dir)
	return vaultdir.Exists(dir, vaultdir.DataName) || err == nil && len(made) > 0
}

// vaultNames are what may be left of a creation that was killed. Without the
// data file they hold nothing, and are written anew.
var vaultNames = []string{vaultdir.DataName, vaultdir.HeadName, vaultdir.HeadCopyName, vaultdir.MarkName, vaultdir.JournalsName, vaultdir.SnapshotsName, vaultdir.BlobsName, vaultdir.LockName}

// checkEmpty keeps a vault out of folders that serve another purpose.
func checkEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return vaultdir.ErrFolder(dir, err)
	}
	for _, e := range entries {
		name := e.Name()
		ours := slices.Contains(vaultNames, name) || strings.HasPrefix(name, atomicfile.TempPrefix)
		if !ours && name != ".DS_Store" && name != "desktop.ini" {
			return errNotEmpty(dir, name)
		}
	}
	return vaultdir.Check(dir)
}

// makeFolder makes dir and what it hangs from, and returns the topmost folder
// that was not there before, "" when all were.
func makeFolder(dir string) (made string, err error) {
	for at := dir; ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		if err == nil && !info.IsDir() {
			return "", vaultdir.ErrFolder(dir, fs.ErrExist)
		}
		if err == nil || at == filepath.Dir(at) {
			break
		}
		made = at
	}
	if err := os.MkdirAll(dir, vaultdir.DirPerm); err != nil {
		if made != "" {
			_ = os.RemoveAll(made)
		}
		return "", vaultdir.ErrFolder(dir, err)
	}
	return made, nil
}

// flushNames makes the names of a new vault's folders survive a power cut: those
// in it, and those from it up to the topmost one that was made.
func flushNames(dir, made string) error {
	if err := atomicfile.SyncDir(dir); err != nil || made == "" {
		return err
	}
	for at := dir; ; at = filepath.Dir(at) {
		if err := atomicfile.SyncDir(filepath.Dir(at)); err != nil || at == made {
			return err
		}
	}
}

// createIn makes the vault in an existing folder. After an error everything it
// made there is gone.
func createIn(dir string, o CreateOptions) (v *Vault, code string, err error) {
	lock, err := vaultdir.Lock(dir)
	if err != nil {
		return nil, "", err
	}
	if holdsVault(dir) { // somebody else was quicker
		_ = lock.Close()
		return nil, "", errExists(dir)
	}
	defer func() {
		if err != nil {
			for _, name := range vaultNames {
				_ = vaultdir.RemoveAll(filepath.Join(dir, name))
			}
			_ = lock.Close()
			vaultdir.RemoveUnlocked(lock)
		}
	}()
	vaultdir.Sweep(dir)
	h, keys, code, err := seal.NewHeader(seal.HeaderOptions{Cipher: o.Cipher, KDF: o.KDF, Passphrase: o.Passphrase, Now: o.Now()})
	if err != nil {
		return nil, "", err
	}
	if err := writeFiles(dir, h, keys, o.Now()); err != nil {
		keys.Wipe()
		return nil, "", err
	}
	if v, err = reopen(dir, o.Now, lock, keys); err != nil {
		keys.Wipe()
		return nil, "", err
	}
	if err = v.Snapshot(context.Background()); err != nil { // what the first journal goes on from
		v.mu.Lock()
		_ = v.abandon()
		v.mu.Unlock()
		return nil, "", err
	}
	return v, code, nil
}

// writeFiles puts the folder together. The data file comes last: without it
// there is no vault, and what is there may be made again.
func writeFiles(dir string, h *seal.Header, keys *seal.Keys, now time.Time) error {
	if err := os.Chmod(dir, vaultdir.DirPerm); err != nil {
		return vaultdir.ErrFolder(dir, err)
	}
	if err := vaultdir.Mkdir(filepath.Join(dir, vaultdir.BlobsName)); err != nil {
		return err
	}
	temp := filepath.Join(dir, atomicfile.TempPrefix+vaultdir.DataName)
	if err := writeData(temp, h, keys, now); err != nil {
		_ = os.Remove(temp)
		return err
	}
	if err := writeHeader(dir, h.Bytes(), noStep); err != nil {
		_ = os.Remove(temp)
		return err
	}
	if err := atomicfile.Rename(temp, filepath.Join(dir, vaultdir.DataName)); err != nil {
		_ = os.Remove(temp)
		return fmt.Errorf("name data file: %w", err)
	}
	return atomicfile.SyncDir(dir)
}

// writeData builds a data file with a header copy, the first epoch and a state.
func writeData(path string, h *seal.Header, keys *seal.Keys, now time.Time) error {
	db, err := openData(path, true)
	if err != nil {
		return err
	}
	err = db.Update(func(bt *bbolt.Tx) error {
		wrapped, err := keys.NewEpoch(1, uint16(allCollections))
		if err != nil {
			return err
		}
		b, err := bt.CreateBucket(systemBucket)
		if err != nil {
			return fmt.Errorf("create bucket: %w", err)
		}
		if err := b.Put(headerKey, h.Bytes()); err != nil {
			return fmt.Errorf("store header: %w", err)
		}
		if err := b.Put(epochKey(1), wrapped); err != nil {
			return fmt.Errorf("store epoch: %w", err)
		}
		s := &state{
			Generation: 1, ChangedAt: now.UnixMilli(), HeaderGeneration: h.Generation,
			Collections: map[Collection]*tally{}, Epochs: []epoch{{Version: 1}},
		}
		return s.save(b, keys)
	})
	if closing := db.Close(); err == nil {
		err = closing
	}
	if err == nil { // the commit was flushed; a full disk can still leave half a file
		_, err = preflightFile(path)
	}
	return err
}

// reopen opens the files just written, as any later start will.
func reopen(dir string, now func() time.Time, lock *os.File, keys *seal.Keys) (*Vault, error) {
	v, err := openFiles(dir, now, lock, nil)
	if err != nil {
		return nil, err
	}
	if err := v.load(keys, v.copies[0]); err != nil {
		_ = v.db.Close()
		return nil, err
	}
	return v, nil
}
