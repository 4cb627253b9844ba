package vault

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"go.etcd.io/bbolt"

	"keepsake/backend/atomicfile"
	"keepsake/backend/seal"
	"keepsake/backend/vault/vaultdir"
)

// Compaction is what a compaction did.
type Compaction struct {
	Before, After int64 // bytes of the data file
}

// Wasteful says that more than half of the data file, and more than 32 MiB, was
// free room when it was opened: it is worth compacting.
func (v *Vault) Wasteful() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	f := v.flight
	return f.free > f.pages/2 && f.free*uint64(f.pageSize) > 32<<20
}

// compactStep is how many bytes one transaction of a compaction writes.
const compactStep = 8 << 20

// Compact writes the data file anew without free pages, proves that it holds
// the same, and puts it in the place of the old one, of which nothing stays.
// Calls wait meanwhile. A process killed at any moment leaves the old file or
// the new one.
func (v *Vault) Compact(ctx context.Context) (Compaction, error) {
	v.copying.Lock()
	defer v.copying.Unlock()
	v.writing.Lock()
	defer v.writing.Unlock()
	keys, db, err := v.enter()
	if err != nil {
		return Compaction{}, err
	}
	temp := filepath.Join(v.dir, atomicfile.TempPrefix+"compacted")
	defer func() { _ = vaultdir.RemoveAll(temp) }()
	err = v.compactTo(ctx, temp, keys, db)
	v.leave()
	if err != nil {
		return Compaction{}, vaultdir.ErrWriting(err)
	}
	done, err := v.swap(temp, &v.db)
	v.mu.Lock()
	v.flight = flightReport{} // which spoke of the file before
	v.mu.Unlock()
	return done, err
}

func (v *Vault) compactTo(ctx context.Context, temp string, keys *seal.Keys, db *bbolt.DB) error {
	if err := v.checkpoint(db); err != nil {
		return err
	}
	if err := v.roomFor(db); err != nil {
		return err
	}
	if err := writeCompact(temp, db); err != nil {
		return err
	}
	return checkCopy(ctx, temp, keys, v.state.Load().Generation)
}

// writeCompact copies what a file holds, without its free pages, and flushes it.
func writeCompact(temp string, db *bbolt.DB) error {
	if err := vaultdir.RemoveAll(temp); err != nil {
		return err
	}
	fresh, err := openData(temp, true)
	if err != nil {
		return err
	}
	fresh.NoSync = true // flushed once, below, before it has a name
	err = contained(func() error { return bbolt.Compact(fresh, db, compactStep) })
	if err == nil {
		err = fresh.Sync()
	}
	if closing := fresh.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return fmt.Errorf("compact: %w", err)
	}
	return nil
}

// swap gives the name of an open file to another one and opens that in its
// place, once everybody has left. Where the new name may not last, the vault
// refuses further use, as after a failed commit.
func (v *Vault) swap(temp string, db **bbolt.DB) (Compaction, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for v.active > 0 { // from then on mu keeps everybody out
		v.idle.Wait()
	}
	if v.keys == nil || v.closing {
		return Compaction{}, errLocked()
	}
	path := (*db).Path()
	done := Compaction{Before: fileSize(path), After: fileSize(temp)}
	if err := (*db).Close(); err != nil {
		return Compaction{}, fmt.Errorf("close file: %w", err)
	}
	err := atomicfile.Rename(temp, path)
	if err == nil {
		if err = atomicfile.SyncDir(v.dir); err != nil {
			v.poison = err // a power cut may bring the old file back, without what is written from now on
		}
	}
	fresh, opening := openData(path, false)
	if opening != nil {
		v.poison = opening
		return Compaction{}, opening
	}
	*db = fresh
	if err != nil {
		return Compaction{}, vaultdir.ErrWriting(fmt.Errorf("name file: %w", err))
	}
	return done, nil
}

// CompactIndex does the same with the index file, so that nothing of blocks that
// were taken out of it stays in its free pages.
func (v *Vault) CompactIndex() error {
	v.copying.Lock()
	defer v.copying.Unlock()
	x, err := v.Index()
	if err != nil {
		return err
	}
	x.writing.Lock()
	defer x.writing.Unlock()
	temp := filepath.Join(v.dir, atomicfile.TempPrefix+"compacted-index")
	defer func() { _ = vaultdir.RemoveAll(temp) }()
	if err := x.copyTo(temp); err != nil {
		return vaultdir.ErrWriting(err)
	}
	_, err = v.swap(temp, &x.db)
	return err
}

// copyTo writes a compact copy of the index; it is not written to meanwhile.
func (x *Index) copyTo(temp string) error {
	if _, _, err := x.v.enter(); err != nil {
		return err
	}
	defer x.v.leave()
	return writeCompact(temp, x.db)
}

func fileSize(path string) int64 {
	info, err := os.Lstat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
