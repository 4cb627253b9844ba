package vault

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"keepsake/backend/vault/vaultdir"
)

// asidePrefix stands between the name of a vault and the time when a restore put it
// aside (docs/vault-format.md §1).
const asidePrefix = ".before-restore-"

// restorePrefix is how earlier versions called a folder in which a vault was restored.
// After a restore that was killed it may be the vault of before, whole.
const restorePrefix = ".tmp-restore-"

// Aside is a vault that a restore put beside the one that took its name. It opens with
// the secrets that it had then, and holds what was forgotten since.
type Aside struct {
	Path string
	At   time.Time // when it was put aside; zero where its name does not say
	Own  bool      // it is an earlier state of the same vault, by its id
}

// Asides lists the vaults that restores put beside the one in dir, in order of time.
// Other folders that are only called so are none.
func Asides(dir string) ([]Aside, error) {
	own, _ := Inspect(dir) // a vault that is gone has no id, and its copies are listed all the same
	paths, err := vaultdir.WithPrefix(filepath.Dir(dir), filepath.Base(dir)+asidePrefix)
	if err != nil {
		return nil, err
	}
	unnamed, err := vaultdir.WithPrefix(filepath.Dir(dir), restorePrefix)
	if err != nil {
		return nil, err
	}
	var all []Aside
	for _, path := range append(paths, unnamed...) {
		if _, err := vaultdir.Lstat(path, fs.ModeDir); err != nil || !Exists(path) {
			continue
		}
		a := Aside{Path: path}
		stamp, _, _ := strings.Cut(strings.TrimPrefix(path, dir+asidePrefix), "-")
		a.At, _ = time.Parse(vaultdir.TimeLayout, stamp)
		if info, err := Inspect(path); err == nil {
			a.Own = own.VaultID != "" && info.VaultID == own.VaultID
		}
		if a.Own || strings.HasPrefix(path, dir+asidePrefix) { // others may be of a neighbour
			all = append(all, a)
		}
	}
	return all, nil
}

// RemoveAside removes a vault that Asides lists for dir, as Destroy does. One that a
// process has open stays.
func RemoveAside(dir, path string) error {
	all, err := Asides(dir)
	if err != nil {
		return err
	}
	for _, a := range all {
		if a.Path != path {
			continue
		}
		if err := vaultdir.Check(path); err != nil {
			return err
		}
		lock, err := vaultdir.Lock(path)
		if err != nil {
			return err
		}
		_ = lock.Close()
		return vaultdir.ErrWriting(removeVault(path))
	}
	return errNoVault(path)
}

// removeVault removes everything of a vault's folder that is ours, the headers first:
// without them nothing else can be read. Other things in the folder stay, and it with
// them.
func removeVault(dir string) error {
	names := append([]string{vaultdir.HeadName, vaultdir.HeadCopyName}, vaultNames...)
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if e.Type().IsRegular() && (strings.HasPrefix(e.Name(), vaultdir.DataName) || vaultdir.IsTemporary(e.Name())) {
			names = append(names, e.Name())
		}
	}
	for _, name := range append(names, vaultdir.IndexName, vaultdir.TriesName) {
		err = errors.Join(err, vaultdir.RemoveAll(filepath.Join(dir, name)))
	}
	_ = os.Remove(dir) // fails where other things are in it
	return err
}
