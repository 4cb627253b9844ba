package lifecycle

import (
	"encoding/binary"
	"slices"
	"time"

	"keepsake/backend/core/library"
	"keepsake/backend/seal"
	"keepsake/backend/vault"
)

// vault.gen holds the newest generation (change counter), so that an older vault.db is
// detected as a rollback. But in an older copy of the whole folder both are older. So if
// the person allowed the keychain, it stores the generation at which the vault was last
// closed on this computer, and an unlock compares the vault's generation with it.

// WarnOlder is the warning for a vault whose generation (its change counter) is lower than
// when it was last closed on this computer: an older copy may have replaced it.
const WarnOlder = "older-than-before"

// keychainTimeout limits how long closing the vault waits for the keychain.
const keychainTimeout = 2 * time.Second

// generationEntry is the name of the keychain entry that holds a vault's generation.
func generationEntry(vaultID string) string { return vaultID + " generation" }

// checksRollback reports whether the person allowed the keychain for this vault. Only
// then is its generation stored there.
func (s *Service) checksRollback(v *library.Session) bool {
	if s.cfg.Keychain == nil {
		return false
	}
	return slices.ContainsFunc(v.Vault.Info().Slots, func(slot vault.Slot) bool { return slot.Kind == seal.KeychainSlot })
}

// CheckRollback compares the vault's generation with the one in the keychain. If it is
// lower, VaultState returns the warning WarnOlder from then on.
func CheckRollback(s *Service, v *library.Session) {
	if !s.checksRollback(v) {
		return
	}
	kept, err := s.cfg.Keychain.Get(generationEntry(v.Vault.Info().VaultID))
	if err != nil || len(kept) != 8 {
		return // no earlier generation: vault never closed on this computer, or keychain not readable
	}
	if binary.BigEndian.Uint64(kept) > v.UnlockedAt {
		v.Older.Store(true)
		s.lib.Emit(library.EventVault, nil)
	}
}

// storeGeneration stores the vault's generation in the keychain before the vault is
// closed. If that fails, the keychain keeps a lower generation, which causes no warning
// at the next unlock.
func (s *Service) storeGeneration(v *library.Session) {
	if !s.checksRollback(v) {
		return
	}
	entry := generationEntry(v.Vault.Info().VaultID)
	generation := binary.BigEndian.AppendUint64(nil, v.Vault.State().Generation)
	waitAtMost(keychainTimeout, func() { _ = s.cfg.Keychain.Set(entry, generation) })
}
