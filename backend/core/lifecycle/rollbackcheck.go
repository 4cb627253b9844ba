package lifecycle

import (
	"encoding/binary"
	"slices"
	"time"

	"keepsake/backend/core/library"
	"keepsake/backend/seal"
	"keepsake/backend/vault"
)

// vault.gen holds the newest generation, so that an older vault.db is detected as a
// rollback. An older copy of the whole folder holds an older vault.gen, too. Where the
// person allowed the keychain, it stores the generation at which the vault was last
// closed here, and an unlock compares the two.

// WarnOlder is the warning of a vault that had come further when it was last
// closed here.
const WarnOlder = "older-than-before"

// keychainTimeout is how long a lock waits for the keychain.
const keychainTimeout = 2 * time.Second

// generationEntry is the keychain's entry with the generation of a vault.
func generationEntry(vaultID string) string { return vaultID + " generation" }

// checksRollback reports whether the person allowed this vault the keychain.
func (s *Service) checksRollback(v *library.Session) bool {
	if s.cfg.Keychain == nil {
		return false
	}
	return slices.ContainsFunc(v.Vault.Info().Slots, func(slot vault.Slot) bool { return slot.Kind == seal.KeychainSlot })
}

// CheckRollback compares the vault's generation with the one in the keychain.
func CheckRollback(s *Service, v *library.Session) {
	if !s.checksRollback(v) {
		return
	}
	kept, err := s.cfg.Keychain.Get(generationEntry(v.Vault.Info().VaultID))
	if err != nil || len(kept) != 8 {
		return // never closed here, or not to be asked: nothing is known
	}
	if binary.BigEndian.Uint64(kept) > v.UnlockedAt {
		v.Older.Store(true)
		s.lib.Emit(library.EventVault, nil)
	}
}

// storeGeneration stores the vault's generation in the keychain before the vault is
// closed. A keychain that cannot be reached keeps an older one, which raises no alarm.
func (s *Service) storeGeneration(v *library.Session) {
	if !s.checksRollback(v) {
		return
	}
	entry := generationEntry(v.Vault.Info().VaultID)
	generation := binary.BigEndian.AppendUint64(nil, v.Vault.State().Generation)
	waitAtMost(keychainTimeout, func() { _ = s.cfg.Keychain.Set(entry, generation) })
}
