package core_test

import (
	"testing"

	"keepsake/backend/core"
	"keepsake/backend/fault"
)

// Promise: a vault that turns out to be damaged while it is open is locked, every
// call says what was found, and its files lead to what brings it back. The next
// unlock forgets it.
func TestFoundDamagedWhileOpen(t *testing.T) {
	k := full(t)
	held := k.memories(core.MemoryQuery{})
	if err := k.SettleCopies(ctx); err != nil {
		t.Fatal(err)
	}
	found := fault.New(fault.Damaged, "vault-records-missing", "test")
	core.FoundAnotherDamaged(k.Service, found)
	if !k.state().Unlocked {
		t.Fatal("the damage of another vault has locked this one")
	}
	core.FoundDamaged(k.Service, found)
	if st := k.state(); st.Unlocked || st.LockedBy != core.LockedDamaged {
		t.Errorf("it stands like %+v", st)
	}
	_, err := k.Memories(ctx, core.MemoryQuery{})
	wantFault(t, err, fault.Damaged, "vault-records-missing")
	if d, err := k.Diagnose(ctx); err != nil || d.Copies == 0 {
		t.Errorf("its files: %+v, %v", d, err)
	}
	if r, err := k.RecoverVault(ctx, core.Secret{Passphrase: passphrase}, false); err != nil || r.Lost != 0 || r.Memories != len(held) {
		t.Errorf("brought back: %+v, %v", r, err)
	}
	if err := k.Unlock(ctx, passphrase); err != nil {
		t.Fatal(err)
	}
	if got := k.memories(core.MemoryQuery{}); len(got) != len(held) || k.state().LockedBy != "" {
		t.Errorf("%d of %d memories, locked by %q", len(got), len(held), k.state().LockedBy)
	}
	if err := k.Lock(ctx); err != nil {
		t.Fatal(err)
	}
	_, err = k.Memories(ctx, core.MemoryQuery{})
	wantFault(t, err, fault.Locked, "vault-locked")
}
