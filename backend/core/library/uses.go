package library

import (
	"fmt"
	"log/slog"
	"maps"
	"sync"

	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/format/mif"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// Use is the stored record of how often a memory was read in this vault, and when last.
type Use struct {
	Count int64       `json:"count"`
	Last  memory.Time `json:"last"`
}

// And returns the sum of two uses, with the later of their times.
func (u Use) And(more Use) Use {
	if more.Last.Compare(u.Last) > 0 {
		u.Last = more.Last
	}
	u.Count += more.Count
	return u
}

// uses counts the readings of memories in a session. The counts are written when the vault
// is closed, so that reading causes no disk writes. They are lost if the program is killed.
type uses struct {
	mu   sync.Mutex
	new  map[string]Use // by the id of the memory
	last string         // id of the last memory; showing it again is not counted
}

// Note counts that a memory was opened. In a frozen (read-only) vault, it counts nothing.
func (v *Session) Note(id string, now memory.Time) {
	if v.Vault.Frozen() {
		return
	}
	u := &v.uses
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.last == id {
		return
	}
	u.last = id
	if u.new == nil {
		u.new = map[string]Use{}
	}
	u.new[id] = u.new[id].And(Use{1, now})
}

// used returns how often a memory was read in this vault, including this session.
func (v *Session) used(tx *vault.Tx, id string) (Use, error) {
	kept, err := KeptUse(tx, id)
	v.uses.mu.Lock()
	defer v.uses.mu.Unlock()
	return kept.And(v.uses.new[id]), err
}

// KeptUse reads the stored uses of a memory.
func KeptUse(tx *vault.Tx, id string) (u Use, err error) {
	_, err = rows.FindJSON(tx, vault.Uses, id, "uses", &u)
	return u, err
}

// UseOf returns how often a memory was read, here and, according to its metadata, in the
// program that it was imported from.
func (v *Session) UseOf(tx *vault.Tx, r memory.Record) (memory.Use, error) {
	own, err := v.used(tx, r.ID)
	count, last := mif.UseOf(r)
	own = own.And(Use{count, last})
	return memory.Use{Count: own.Count, Last: own.Last}, err
}

// sealUses adds how often memories were read in this session to the stored counts.
func (v *Session) sealUses() error {
	v.uses.mu.Lock()
	waiting := maps.Clone(v.uses.new)
	v.uses.mu.Unlock()
	if len(waiting) == 0 || v.Vault.Frozen() {
		return nil
	}
	err := v.Vault.Update(func(tx *vault.Tx) error {
		for id, more := range waiting {
			if !tx.Has(vault.Memories, id) {
				continue
			}
			kept, err := KeptUse(tx, id)
			if err != nil {
				return err
			}
			text, err := rows.EncodeJSON(kept.And(more))
			if err != nil {
				return err
			}
			if err := tx.Put(vault.Uses, id, more.Last.Time, text); err != nil {
				return fmt.Errorf("store uses: %w", err)
			}
		}
		return nil
	})
	if err == nil {
		v.uses.mu.Lock()
		v.uses.new = nil
		v.uses.mu.Unlock()
	}
	return err
}

// LeaveUses stores how often memories were read in this session, for a vault that is
// being closed. It only logs an error, because the vault closes in any case.
func (v *Session) LeaveUses() {
	if err := v.sealUses(); err != nil {
		slog.Warn("readings were not kept", "reason", fault.From(err).Reason)
	}
}

// dropUse deletes the count of how often a memory was read, if there is one.
func (e *Tx) dropUse(id string) error {
	if !e.VaultTx.Has(vault.Uses, id) {
		return nil
	}
	return wrap(e.VaultTx.Delete(vault.Uses, id), "delete uses")
}
