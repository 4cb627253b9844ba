package vault

import (
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"keepsake/backend/vault/journal"
	"keepsake/backend/vault/vaultdir"
)

// What lies over the data file goes into it at a checkpoint, once it has lain for
// checkpointAfter or has come to checkpointSize bytes: then many changes cost the
// flushes of one, and nobody waits for them.
const (
	checkpointAfter = 300 * time.Millisecond
	checkpointRetry = 30 * time.Second // where there was no room
	checkpointSize  = 4 << 20
)

// journals says that the next Update goes to the journal: there is one, and it goes
// on from the newest commit.
func (v *Vault) journals() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.trail.journal != nil && v.trail.journal.Last == v.state.Load().Generation
}

// present begins to read the data file, and gives what lies over it. After a
// checkpoint between the two, changes would be in neither.
func (v *Vault) present(db *bbolt.DB) (*bbolt.Tx, *journal.Layer, error) {
	for {
		before := v.over.Load()
		bt, err := db.Begin(false)
		if err != nil {
			return nil, nil, err
		}
		over := v.over.Load()
		if over.Checkpoints == before.Checkpoints {
			return bt, over, nil
		}
		_ = bt.Rollback()
	}
}

// checkpoint writes what lies over the data file into it. Where the disk has no room
// for that, it goes on lying there, in the journal and in memory. writing is held.
func (v *Vault) checkpoint(db *bbolt.DB) error {
	v.mu.Lock()
	err := v.roomToApply()
	v.mu.Unlock()
	if err != nil {
		return err
	}
	if err := v.apply(db); err != nil {
		return v.poisoned(err)
	}
	return nil
}

// roomToApply refuses a checkpoint that would fill the disk, or did: a data file whose
// commit failed must be opened anew. mu is held.
func (v *Vault) roomToApply() error {
	l := v.over.Load()
	if v.cramped && !l.Empty() {
		return errCramped()
	}
	if free, known := vaultdir.FreeSpace(v.dir); !l.Empty() && known && free < l.Most() {
		return vaultdir.ErrDiskFull(fmt.Errorf("checkpoint: %d bytes are free: %w", free, vaultdir.DiskFullCodes[0]))
	}
	return nil
}

// apply is checkpoint for who looked for room, and refuses further use by himself
// after an error. No Update is under way.
func (v *Vault) apply(db *bbolt.DB) error {
	l := v.over.Load()
	if l.Empty() {
		return nil
	}
	v.step("checkpoint")
	if err := contained(func() error { return db.Update(l.Into) }); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	v.over.Store(&journal.Layer{Checkpoints: l.Checkpoints + 1})
	return nil
}

// Checkpoint brings the data file up to the newest commit, for who reads the file
// as it is. Commits last without it.
func (v *Vault) Checkpoint() error {
	v.writing.Lock()
	defer v.writing.Unlock()
	_, db, err := v.enter()
	if err != nil {
		return err
	}
	defer v.leave()
	return v.checkpoint(db)
}

// checkpointSoon sees to it that a layer of so many bytes does not lie for long.
func (v *Vault) checkpointSoon(size int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case size > checkpointSize:
		v.due.Reset(0)
	case !v.isDue:
		v.due.Reset(checkpointAfter)
	}
	v.isDue = true
}

// checkpointDue is what checkpointSoon has done. Where there was no room it is tried
// again; another error is for whoever uses the vault next. What was confirmed is in the
// journal.
func (v *Vault) checkpointDue() {
	v.mu.Lock()
	v.isDue = false
	v.mu.Unlock()
	err := v.Checkpoint()
	v.mu.Lock()
	defer v.mu.Unlock()
	if vaultdir.DiskFull(err) && !v.isDue && v.keys != nil {
		v.due.Reset(checkpointRetry)
	}
}
