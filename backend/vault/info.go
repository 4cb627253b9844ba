package vault

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"keepsake/backend/fault"
	"keepsake/backend/seal"
	"keepsake/backend/vault/vaultdir"
)

// Info is what can be said about a vault without opening it.
type Info struct {
	Dir       string
	Format    int
	VaultID   string
	CreatedAt time.Time
	Size      int64 // bytes on disk, everything in the folder
	Slots     []Slot
	KDF       seal.KDF  // of the passphrase slot
	WeakKDF   bool      // below what is written today
	BackupAt  time.Time // of the last good backup; zero where there was none
	FrozenAt  time.Time // zero while it is not frozen
	Repaired  bool      // a damaged header copy was put right at this unlock
}

// Slot is one way to open the vault.
type Slot struct {
	Kind      string // "passphrase", "recovery" or "keychain"
	CreatedAt time.Time
	KDF       seal.KDF
}

// Inspect describes the vault in dir. It takes no lock and writes nothing.
func Inspect(dir string) (Info, error) {
	copies, err := readCopies(dir)
	if err != nil {
		return Info{}, err
	}
	h, err := newest(copies)
	if fault.CodeOf(err) == fault.Damaged { // both files; there are more copies
		if copies, other := allCopies(dir); other == nil {
			h, err = copies[0].h, nil
		}
	}
	if err != nil {
		return Info{}, err
	}
	if !vaultdir.Exists(dir, vaultdir.DataName) {
		return Info{}, errDataMissing(dir)
	}
	return describe(dir, h), nil
}

// Exists reports whether dir holds a vault or the remains of one. A folder that
// may not be looked into counts as one: opening it says why it cannot be.
func Exists(dir string) bool {
	return vaultdir.Hidden(dir) != nil || vaultdir.Exists(dir, vaultdir.HeadName) || vaultdir.Exists(dir, vaultdir.HeadCopyName) || holdsVault(dir)
}

func describe(dir string, h *seal.Header) Info {
	info := Info{Dir: dir, Format: h.Format, VaultID: h.VaultID, CreatedAt: h.Created(), Size: vaultdir.Size(dir)}
	info.BackupAt, _ = time.Parse(time.RFC3339, h.LastBackupAt)
	info.FrozenAt, _ = time.Parse(time.RFC3339, h.FrozenAt) // "" stays zero
	for i := range h.Slots {
		s := &h.Slots[i]
		info.Slots = append(info.Slots, Slot{Kind: s.Kind, CreatedAt: s.Created(), KDF: s.Cost()})
		if s.Kind == seal.PassphraseSlot {
			info.KDF, info.WeakKDF = s.Cost(), s.Cost().Weak()
		}
	}
	return info
}

// copyOf is one of the three copies of the header.
type copyOf struct {
	where string // name of its file in the vault's folder; "" for one elsewhere
	raw   []byte
	h     *seal.Header
	err   error
}

func parseCopy(where string, raw []byte) copyOf {
	h, err := seal.ParseHeader(raw)
	return copyOf{where: where, raw: raw, h: h, err: err}
}

// readCopies reads the two header files. Neither need be there.
func readCopies(dir string) ([]copyOf, error) {
	if !Exists(dir) {
		return nil, errNoVault(dir)
	}
	if err := vaultdir.Hidden(dir); err != nil {
		return nil, vaultdir.ErrNotReadable(dir, err)
	}
	if err := vaultdir.Check(dir); err != nil {
		return nil, err
	}
	var out []copyOf
	for _, name := range []string{vaultdir.HeadName, vaultdir.HeadCopyName} {
		raw, err := vaultdir.ReadFile(filepath.Join(dir, name), maxHeader)
		if vaultdir.IsFault(err) {
			return nil, err
		}
		if errors.Is(err, fs.ErrPermission) {
			return nil, vaultdir.ErrNotReadable(dir, err)
		}
		out = append(out, parseCopy(name, raw))
	}
	return doubtNewer(dir, out), nil
}

// doubtNewer makes copies that only a newer Keepsake understands damaged ones,
// where the copy in the data file is understood: a change of the header becomes
// true there, and anybody can write the other two.
func doubtNewer(dir string, copies []copyOf) []copyOf {
	isNewer := func(c copyOf) bool { return fault.CodeOf(c.err) == fault.Unsupported }
	if !slices.ContainsFunc(copies, isNewer) {
		return copies
	}
	stored, err := storedIn(filepath.Join(dir, vaultdir.DataName))
	if err != nil || stored.err != nil {
		return copies
	}
	for i, c := range copies {
		if isNewer(c) {
			copies[i].err = errHeaderOfOthers(c.err)
		}
	}
	return copies
}
