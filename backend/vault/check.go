package vault

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"

	"go.etcd.io/bbolt"

	"keepsake/backend/fault"
	"keepsake/backend/seal"
	"keepsake/backend/vault/vaultdir"
)

// Parts of a vault that a check names.
const (
	PartPages      = "pages"      // of the data file
	PartRecords    = "records"    // a sealed value, or their number and order
	PartAttachment = "attachment" // a blob
	PartIndex      = "index"      // of the search; can be made again
	PartCopy       = "copy"       // a snapshot
)

// PartDamage is a part of the vault that is not as it was written.
type PartDamage struct {
	What string
	Name string // of a file or a collection; may be empty
	Err  error
}

// CheckReport is what a check found.
type CheckReport struct {
	Values  int // sealed values that opened
	Blobs   int
	Blocks  int // of the index
	Copies  int
	Damaged []PartDamage
}

// Check reads the whole vault: the pages of the data file, every sealed value,
// every blob, the index and every snapshot. It changes nothing. tell may be nil;
// it is told the parts done and all there are. An error means that the check
// could not be done, not that it found something.
func (v *Vault) Check(ctx context.Context, tell func(done, total int)) (CheckReport, error) {
	if err := v.Checkpoint(); err != nil && !vaultdir.DiskFull(err) { // what lies over the file was read as the vault was unlocked, or written since
		return CheckReport{}, err
	}
	keys, db, err := v.enter()
	if err != nil {
		return CheckReport{}, err
	}
	defer v.leave()
	made, err := snapshots(v.dir)
	if err != nil {
		return CheckReport{}, err
	}
	refs, err := v.Blobs()
	if err != nil {
		return CheckReport{}, err
	}
	c := checking{v: v, ctx: ctx, keys: keys, tell: tell, total: 3 + len(refs) + len(made)}
	steps := []func() error{func() error { return c.pages(db) }, func() error { return c.records(db) }, c.index}
	for _, ref := range refs {
		steps = append(steps, func() error { return c.blob(ref) })
	}
	for _, s := range made {
		steps = append(steps, func() error { return c.copy(s) })
	}
	for _, step := range steps {
		if err := c.do(step); err != nil {
			return c.found, err
		}
	}
	return c.found, nil
}

type checking struct {
	v           *Vault
	ctx         context.Context
	keys        *seal.Keys
	tell        func(done, total int)
	done, total int
	found       CheckReport
}

func (c *checking) do(step func() error) error {
	if err := step(); err != nil {
		return err
	}
	c.done++
	if c.tell != nil {
		c.tell(c.done, c.total)
	}
	return c.ctx.Err()
}

// judge keeps damage as a finding and gives back every other error.
func (c *checking) judge(what, name string, err error) error {
	if fault.CodeOf(err) != fault.Damaged {
		return err
	}
	c.found.Damaged = append(c.found.Damaged, PartDamage{what, name, err})
	return nil
}

// pages looks through the data file as before an opening; nobody writes
// meanwhile.
func (c *checking) pages(db *bbolt.DB) error {
	c.v.writing.Lock()
	defer c.v.writing.Unlock()
	_, err := preflightFile(db.Path())
	return c.judge(PartPages, vaultdir.DataName, err)
}

func (c *checking) records(db *bbolt.DB) error {
	err := view(db, func(bt *bbolt.Tx) error {
		s, err := loadState(bt, c.keys)
		if err != nil {
			return err
		}
		got, opening := openAll(c.ctx, bt, c.keys, s)
		c.found.Values = got.Values
		for _, d := range got.Damaged {
			name := strconv.Itoa(int(d.Collection)) + "/" + strconv.FormatUint(d.Seq, 10)
			c.found.Damaged = append(c.found.Damaged, PartDamage{PartRecords, name, opening})
		}
		if opening != nil && len(got.Damaged) == 0 {
			return opening
		}
		return verify(bt, c.keys, s)
	})
	return c.judge(PartRecords, "", err)
}

func (c *checking) index() error {
	x, err := c.v.Index()
	if err != nil {
		return c.judge(PartIndex, vaultdir.IndexName, err)
	}
	err = x.View(func(tx *IndexTx) error {
		for key, err := range tx.Keys(nil) {
			if err == nil {
				_, err = tx.Get(key)
			}
			if err != nil {
				return err
			}
			c.found.Blocks++
		}
		return c.ctx.Err()
	})
	return c.judge(PartIndex, vaultdir.IndexName, err)
}

func (c *checking) blob(ref string) error {
	err := readBlob(c.keys, c.v.blobPath(ref), ref)
	if errors.Is(err, os.ErrNotExist) {
		return nil // removed meanwhile
	}
	if err == nil {
		c.found.Blobs++
	}
	return c.judge(PartAttachment, ref, err)
}

func (c *checking) copy(s SnapshotInfo) error {
	err := checkCopy(c.ctx, filepath.Join(s.dir, vaultdir.DataName), c.keys, s.Generation)
	switch {
	case err == nil:
		c.found.Copies++
	case fault.CodeOf(err) == fault.Damaged:
		c.v.spoil(s.Generation)
	}
	return c.judge(PartCopy, vaultdir.GenerationName(s.Generation), err)
}

// CheckOwnBackup is CheckBackup for a backup that this vault wrote just now.
func (v *Vault) CheckOwnBackup(ctx context.Context, path string, names Naming) (BackupInfo, error) {
	keys, _, err := v.enter()
	if err != nil {
		return BackupInfo{}, err
	}
	defer v.leave()
	return CheckBackup(ctx, path, v.dir, names, func(*seal.Header) (*seal.Keys, error) { return keys.Fresh(), nil })
}
