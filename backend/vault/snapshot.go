package vault

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"keepsake/backend/atomicfile"
	"keepsake/backend/seal"
	"keepsake/backend/vault/journal"
	"keepsake/backend/vault/vaultdir"
)

// SnapshotInfo is one verified copy of the data file inside the vault.
type SnapshotInfo struct {
	Generation uint64
	MadeAt     time.Time
	Size       int64 // bytes of the data file
	dir        string
}

// snapshots lists the verified copies, newest first.
func snapshots(dir string) ([]SnapshotInfo, error) {
	generations, err := vaultdir.Generations(filepath.Join(dir, vaultdir.SnapshotsName))
	var out []SnapshotInfo
	for _, generation := range slices.Backward(generations) {
		at := filepath.Join(dir, vaultdir.SnapshotsName, vaultdir.GenerationName(generation))
		info, err := vaultdir.Lstat(filepath.Join(at, vaultdir.DataName), 0)
		if err != nil {
			continue // it went meanwhile
		}
		out = append(out, SnapshotInfo{Generation: generation, MadeAt: info.ModTime().UTC(), Size: info.Size(), dir: at})
	}
	return out, err
}

// Snapshots lists the verified copies in the vault, newest first.
func (v *Vault) Snapshots() ([]SnapshotInfo, error) { return snapshots(v.dir) }

// SnapshotDue says that commits since the newest snapshot are not all in the
// journal, that the journal has grown long, or that a check found a snapshot
// damaged.
func (v *Vault) SnapshotDue() bool {
	v.writing.Lock() // who writes makes the journal longer
	defer v.writing.Unlock()
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.keys != nil && (v.trail.journal == nil || v.trail.journal.End > journalMost || len(v.spoilt) > 0)
}

// journalMost is how long a journal may get before a snapshot should end it.
const journalMost = 8 << 20

// Snapshot copies the data file as it is now, reads and decrypts every value of
// the copy, and gives it its name only then: a snapshot that was not verified
// does not exist. From its generation on a new journal is kept; older copies go
// where they are too many. Readers and writers go on meanwhile. With nothing
// new since the last one it does nothing, unless a check found one damaged: that
// goes once there is a good one. A damaged value leaves the older
// snapshots as they are and is the returned fault.
func (v *Vault) Snapshot(ctx context.Context) error { return v.snapshot(ctx, v.anySpoilt()) }

func (v *Vault) anySpoilt() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.spoilt) > 0
}

// spoil notes that a snapshot is damaged.
func (v *Vault) spoil(generation uint64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.spoilt == nil {
		v.spoilt = map[uint64]bool{}
	}
	v.spoilt[generation] = true
}

// unspoilt are the damaged snapshots beside a good one, which are forgotten.
func (v *Vault) unspoilt(good uint64) map[uint64]bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	spoilt := v.spoilt
	v.spoilt = nil
	delete(spoilt, good)
	return spoilt
}

// snapshot is Snapshot that makes one anew, where that is asked for, though there
// is one of this generation.
func (v *Vault) snapshot(ctx context.Context, anew bool) error {
	v.copying.Lock()
	defer v.copying.Unlock()
	keys, db, err := v.enter()
	if err != nil {
		return err
	}
	defer v.leave()
	if err := v.roomFor(db); err != nil {
		return err
	}
	temp := filepath.Join(v.dir, vaultdir.SnapshotsName, atomicfile.TempPrefix+"snapshot")
	if err := vaultdir.RemoveAll(temp); err != nil {
		return vaultdir.ErrWriting(err)
	}
	if err := errors.Join(vaultdir.Mkdir(filepath.Dir(temp)), vaultdir.Mkdir(temp)); err != nil {
		return vaultdir.ErrWriting(err)
	}
	defer func() { _ = vaultdir.RemoveAll(temp) }()
	s, err := v.copyData(db, keys, filepath.Join(temp, vaultdir.DataName), anew)
	if err != nil || s == nil {
		return vaultdir.ErrWriting(err)
	}
	if err := checkCopy(ctx, filepath.Join(temp, vaultdir.DataName), keys, s.Generation); err != nil {
		return err
	}
	return vaultdir.ErrWriting(v.adopt(temp, s.Generation))
}

// roomFor refuses a copy that would fill the disk.
func (v *Vault) roomFor(db *bbolt.DB) error {
	info, err := os.Stat(db.Path())
	if err != nil {
		return fmt.Errorf("measure data file: %w", err)
	}
	if free, known := vaultdir.FreeSpace(v.dir); known && free < info.Size()+info.Size()/8 {
		return errNoRoom(info.Size())
	}
	return nil
}

// copyData writes the data file of one generation to path and begins the
// journal that goes on from it. It returns no state where the newest snapshot
// is of this generation already and need not be made anew.
func (v *Vault) copyData(db *bbolt.DB, keys *seal.Keys, path string, anew bool) (*state, error) {
	f, err := vaultdir.Open(path, os.O_RDWR|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return nil, fmt.Errorf("make snapshot: %w", err)
	}
	defer f.Close()
	s, bt, err := v.turn(db, keys, f, anew)
	if err != nil || bt == nil {
		return s, err
	}
	defer func() { _ = bt.Rollback() }()
	if err := contained(func() error { _, err := bt.WriteTo(f); return err }); err != nil {
		return nil, fmt.Errorf("write snapshot: %w", err)
	}
	return s, f.Sync()
}

// turn begins a new journal at the present generation while no one writes. It
// returns the transaction to be copied, or nil where the blocks are shared by
// now or nothing is to be done.
func (v *Vault) turn(db *bbolt.DB, keys *seal.Keys, f *os.File, anew bool) (*state, *bbolt.Tx, error) {
	v.writing.Lock()
	defer v.writing.Unlock()
	if err := v.checkpoint(db); err != nil {
		return nil, nil, err
	}
	s := v.state.Load()
	made, err := snapshots(v.dir)
	if err != nil {
		return nil, nil, err
	}
	v.mu.Lock()
	goesOn := v.trail.journal != nil && v.trail.journal.Last == s.Generation
	v.mu.Unlock()
	if !anew && goesOn && len(made) > 0 && made[0].Generation == s.Generation {
		return nil, nil, nil
	}
	v.mu.Lock()
	if v.trail.journal.IsFrom(s.Generation) { // Windows gives the name of an open file to no other
		v.trail.journal.Close()
		v.trail.journal = nil
	}
	v.mu.Unlock()
	fresh, err := journal.New(v.dir, keys, s.Generation)
	if err != nil {
		return nil, nil, err
	}
	v.mu.Lock()
	v.trail.journal.Close()
	v.trail.journal = fresh
	v.mu.Unlock()
	if shared := v.share(db, f); shared {
		return s, nil, f.Sync()
	}
	bt, err := db.Begin(false)
	return s, bt, err
}

// share clones the data file; no one writes meanwhile.
func (v *Vault) share(db *bbolt.DB, f *os.File) bool {
	src, err := vaultdir.Open(db.Path(), os.O_RDONLY)
	if err != nil {
		return false
	}
	defer src.Close()
	return vaultdir.Clone(f, src)
}

// checkCopy proves that a copy of the data file is whole: it is looked
// through, opened read-only, compared with its state, and every value in it is decrypted.
func checkCopy(ctx context.Context, path string, keys *seal.Keys, generation uint64) error {
	_, _, err := proveCopy(ctx, path, keys, func(s *state) error {
		if s.Generation != generation {
			return errDataDamaged(fmt.Errorf("check copy: generation %d is not %d", s.Generation, generation))
		}
		return nil
	})
	return err
}

// proveCopy is checkCopy of any generation that suits, and says what is in it.
func proveCopy(ctx context.Context, path string, keys *seal.Keys, suits func(*state) error) (s *state, all Checked, err error) {
	db, err := openCopy(path)
	if err != nil {
		return nil, all, err
	}
	defer db.Close()
	err = view(db, func(bt *bbolt.Tx) (err error) {
		if s, err = loadState(bt, keys); err != nil {
			return err
		}
		if err := suits(s); err != nil {
			return err
		}
		if err := openEpochs(bt.Bucket(systemBucket), keys, s); err != nil {
			return err
		}
		if err := verify(bt, keys, s); err != nil {
			return err
		}
		all, err = openAll(ctx, bt, keys, s)
		return err
	})
	return s, all, err
}

// openCopy opens a copy of the data file for reading, after its pre-flight.
func openCopy(path string) (db *bbolt.DB, err error) {
	if _, err := preflightFile(path); err != nil {
		return nil, dataFault(path, err)
	}
	opening := func(name string, flag int, _ os.FileMode) (*os.File, error) { return vaultdir.Open(name, flag) }
	err = contained(func() error {
		db, err = bbolt.Open(path, vaultdir.FilePerm, &bbolt.Options{ReadOnly: true, Timeout: busyAfter, NoStatistics: true, OpenFile: opening})
		return err
	})
	if err != nil {
		return nil, dataFault(path, err)
	}
	return db, nil
}

// adopt gives a verified copy its name and lets go of what it makes needless.
func (v *Vault) adopt(temp string, generation uint64) error {
	v.mu.Lock()
	head := v.header.Bytes()
	v.mu.Unlock()
	if err := writeHeaderFile(filepath.Join(temp, vaultdir.HeadName), head); err != nil {
		return err
	}
	folder := filepath.Join(v.dir, vaultdir.SnapshotsName)
	target := filepath.Join(folder, vaultdir.GenerationName(generation))
	if !vaultdir.Exchange(temp, target) { // with one of the same generation, as long as there is one
		if err := vaultdir.RemoveAll(target); err != nil {
			return err
		}
		if err := atomicfile.Rename(temp, target); err != nil {
			return fmt.Errorf("name snapshot: %w", err)
		}
	}
	if err := atomicfile.SyncDir(folder); err != nil {
		return err
	}
	return v.prune(generation)
}

// prune removes journals that the snapshot of a generation contains, and older
// snapshots but one of another day and one of another week, as far as all of
// them together are no longer than twice the data file. Damaged ones go.
func (v *Vault) prune(generation uint64) error {
	files, err := journal.Files(v.dir)
	if err != nil {
		return err
	}
	for _, jf := range files {
		if jf.Base < generation {
			if err := vaultdir.RemoveAll(jf.Path); err != nil {
				return err
			}
		}
	}
	made, err := snapshots(v.dir)
	if err != nil || len(made) == 0 {
		return err
	}
	keep, spoilt := rotation(made, 2*made[0].Size), v.unspoilt(generation)
	for i, s := range made {
		if !keep[i] || spoilt[s.Generation] {
			if err := vaultdir.RemoveAll(s.dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// rotation says which snapshots stay, newest first: the newest, then the first
// that is a day older, then the first that is a week older.
func rotation(made []SnapshotInfo, most int64) []bool {
	keep := make([]bool, len(made))
	keep[0] = true
	size, age := made[0].Size, 24*time.Hour
	for i, s := range made[1:] {
		if made[0].MadeAt.Sub(s.MadeAt) < age || size+s.Size > most || age > 7*24*time.Hour {
			continue
		}
		keep[i+1] = true
		size += s.Size
		age *= 7
	}
	return keep
}
