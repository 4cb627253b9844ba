package core

import (
	"encoding/binary"
	"slices"
	"time"

	"keepsake/backend/seal"
	"keepsake/backend/vault"
)

// A vault notices an older vault.db by vault.gen, which lies beside it. Whoever
// copies the whole folder back copies that too, and nothing in the folder can
// tell. Where the person allowed the keychain, it bears witness: it keeps the
// generation at which the vault was last closed here.

// WarnOlder is the warning of a vault that had come further when it was last
// closed here.
const WarnOlder = "older-than-before"

// witnessWithin is how long the keychain may take: a lock waits for nobody.
const witnessWithin = 2 * time.Second

// witnessEntry is where the keychain keeps the generation of a vault.
func witnessEntry(vaultID string) string { return vaultID + " generation" }

// hasWitness reports whether the person allowed this vault the keychain.
func (s *Service) hasWitness(v *session) bool {
	if s.cfg.Keychain == nil {
		return false
	}
	return slices.ContainsFunc(v.vault.Info().Slots, func(slot vault.Slot) bool { return slot.Kind == seal.KeychainSlot })
}

// hearWitness compares the vault with what the keychain remembers of it.
func (s *Service) hearWitness(v *session) {
	if !s.hasWitness(v) {
		return
	}
	kept, err := s.cfg.Keychain.Get(witnessEntry(v.vault.Info().VaultID))
	if err != nil || len(kept) != 8 {
		return // never closed here, or not to be asked: nothing is known
	}
	if binary.BigEndian.Uint64(kept) > v.unlockedAt {
		v.older.Store(true)
		s.emit(EventVault, nil)
	}
}

// bearWitness tells the keychain how far the vault has come; it is about to be
// closed. One that cannot be reached remembers an earlier day, which accuses
// nobody.
func (s *Service) bearWitness(v *session) {
	if !s.hasWitness(v) {
		return
	}
	entry := witnessEntry(v.vault.Info().VaultID)
	generation := binary.BigEndian.AppendUint64(nil, v.vault.State().Generation)
	told := make(chan struct{})
	go func() {
		defer close(told)
		_ = s.cfg.Keychain.Set(entry, generation)
	}()
	select {
	case <-told:
	case <-time.After(witnessWithin):
	}
}
