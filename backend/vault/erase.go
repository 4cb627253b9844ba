package vault

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"keepsake/backend/atomicfile"
	"keepsake/backend/fault"
	"keepsake/backend/vault/journal"
	"keepsake/backend/vault/vaultdir"
)

// Traces are the ends of sealed values that were taken out: what a search of the
// files for what must be gone looks for.
type Traces [][16]byte

// Erase leaves nothing of what was deleted or replaced before in the folder: the
// data file is written anew, a snapshot of it is made, all older snapshots, all
// journals before it and damaged files that were put aside are removed. Then
// every file of the folder is searched for the traces; finding one is a fault.
// Until it returns, deleted values are still in the folder, sealed.
func (v *Vault) Erase(ctx context.Context, gone Traces) error {
	if _, err := v.Compact(ctx); err != nil {
		return err
	}
	if err := v.snapshot(ctx, true); err != nil { // one of before the compaction has it in its free pages
		return err
	}
	if err := v.dropOlder(); err != nil {
		return vaultdir.ErrWriting(err)
	}
	if err := v.CompactIndex(); err != nil && fault.CodeOf(err) != fault.NotFound {
		return err
	}
	where, err := v.search(ctx, gone)
	if err != nil {
		return err
	}
	if where != "" {
		return errNotErased(where)
	}
	return nil
}

// Forgetting says in the vault that an Erase is still to come, or that it is
// done.
func (tx *Tx) Forgetting(on bool) {
	tx.st.Forgetting = on
	tx.changed = true
}

// Forgetting reports that an Erase is still to come.
func (v *Vault) Forgetting() bool {
	s := v.state.Load()
	return s != nil && s.Forgetting
}

// dropOlder removes every copy but the newest snapshot and its journal.
func (v *Vault) dropOlder() error {
	made, err := snapshots(v.dir)
	if err != nil || len(made) == 0 {
		return err
	}
	var gone []string
	for _, s := range made[1:] {
		gone = append(gone, s.dir)
	}
	files, err := journal.Files(v.dir)
	if err != nil {
		return err
	}
	for _, jf := range files {
		if jf.Base < made[0].Generation {
			gone = append(gone, jf.Path)
		}
	}
	damaged, err := vaultdir.WithPrefix(v.dir, vaultdir.DamagedPrefix)
	if err != nil {
		return err
	}
	if err := vaultdir.RemoveAll(append(gone, damaged...)...); err != nil {
		return err
	}
	return flushCopies(v.dir)
}

// flushCopies makes sure that names of copies that were removed do not come back
// with a power cut.
func flushCopies(dir string) error {
	for _, folder := range []string{vaultdir.SnapshotsName, vaultdir.JournalsName, "."} {
		err := atomicfile.SyncDir(filepath.Join(dir, folder))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// search looks for traces in every file of the folder and names the first that
// has one.
func (v *Vault) search(ctx context.Context, gone Traces) (where string, err error) {
	if len(gone) == 0 {
		return "", nil
	}
	hunt := newHunt(gone)
	err = filepath.WalkDir(v.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || where != "" {
			return err
		}
		found, err := hunt.in(ctx, path)
		if found {
			where, _ = filepath.Rel(v.dir, path)
		}
		return err
	})
	if err != nil {
		return "", fmt.Errorf("search folder: %w", err)
	}
	return filepath.ToSlash(where), nil
}

// hunt finds traces in a stream: nearly every position is ruled out by its first
// two bytes.
type hunt struct {
	first [1 << 16]bool
	gone  map[[16]byte]bool
}

func newHunt(gone Traces) *hunt {
	h := &hunt{gone: make(map[[16]byte]bool, len(gone))}
	for _, t := range gone {
		h.gone[t] = true
		h.first[binary.BigEndian.Uint16(t[:])] = true
	}
	return h
}

func (h *hunt) in(ctx context.Context, path string) (bool, error) {
	f, err := vaultdir.Open(path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	const overlap = 15
	buf := make([]byte, 1<<20)
	r := bufio.NewReaderSize(f, len(buf))
	kept := 0
	for {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		n, err := io.ReadFull(r, buf[kept:])
		part := buf[:kept+n]
		for at := 0; at+16 <= len(part); at++ {
			if h.first[binary.BigEndian.Uint16(part[at:])] && h.gone[[16]byte(part[at:])] {
				return true, nil
			}
		}
		if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		kept = copy(buf, part[len(part)-overlap:])
	}
}

// Destroy removes the vault with everything in its folder that is ours. Other
// things in the folder stay, and it with them. The vault is closed afterwards.
func (v *Vault) Destroy() error {
	v.copying.Lock()
	defer v.copying.Unlock()
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.closed {
		return errClosed()
	}
	err := v.abandon()
	_ = v.lock.Close()
	return vaultdir.ErrWriting(errors.Join(err, removeVault(v.dir)))
}
