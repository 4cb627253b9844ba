package lifecycle

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"sync"

	"keepsake/backend/core/library"
	"keepsake/backend/fault"
	"keepsake/backend/seal"
)

// Keychain stores small secrets in the operating system's keychain, one for each entry.
// vaultID is the entry's name; see generationEntry for a second entry of a vault.
type Keychain interface {
	Set(vaultID string, secret []byte) error
	Get(vaultID string) ([]byte, error)
	Delete(vaultID string) error
}

// RecoveryOffer is a recovery key that is not in use yet. It comes into use once the
// person has typed the groups of it that Ask names, to prove that they wrote it down.
type RecoveryOffer struct {
	RecoveryKey string `json:"recovery_key"` // shown once, never stored
	Ask         []int  `json:"ask"`          // indexes (from 0) of the two groups of characters to type
}

// recoveryOffer holds the recovery key that waits for its confirmation.
type recoveryOffer struct {
	mu    sync.Mutex
	offer RecoveryOffer
}

// SuggestPassphrase returns a new passphrase of six random words.
func (s *Service) SuggestPassphrase() string { return seal.NewPassphrase() }

// EasyToGuess reports whether a passphrase would be among the first guesses of an
// attacker. It is advice only: such a passphrase is not refused.
func (s *Service) EasyToGuess(passphrase []byte) bool { return seal.EasyToGuess(passphrase) }

// ChangePassphrase replaces the vault's passphrase. It checks the old one, which no longer
// opens the vault afterwards.
func (s *Service) ChangePassphrase(ctx context.Context, old, passphrase []byte) error {
	return s.changeSlot(ctx, func(v *library.Session, ctx context.Context) error {
		return v.Vault.ChangePassphrase(ctx, old, passphrase, newCost(v))
	})
}

// newCost returns the KDF cost of a new passphrase slot: that of the present slot, raised
// to today's default if it is weak. The weak cost of vaults made for tests stays as it is.
func newCost(v *library.Session) seal.KDF {
	is := v.Vault.Info().KDF
	if _, due := is.Upgrade(is); !due {
		return is
	}
	better, _ := is.Upgrade(seal.DefaultKDF())
	return better
}

// changeSlot runs change, which changes a key slot (see Slot), and then emits EventVault.
func (s *Service) changeSlot(ctx context.Context, change func(*library.Session, context.Context) error) error {
	v, bound, release, err := s.lib.Hold(ctx)
	if err != nil {
		return err
	}
	defer release()
	if err := change(v, bound); err != nil {
		return err
	}
	s.lib.Emit(library.EventVault, nil)
	return nil
}

// BeginRecovery checks the passphrase and returns a new recovery key. The present key
// stays in use until ConfirmRecovery.
func (s *Service) BeginRecovery(ctx context.Context, passphrase []byte) (RecoveryOffer, error) {
	v, bound, release, err := s.lib.Hold(ctx)
	if err != nil {
		return RecoveryOffer{}, err
	}
	defer release()
	if err := v.Vault.Unlock(bound, passphrase); err != nil { // Unlock only checks the passphrase: v is open
		return RecoveryOffer{}, err
	}
	return offerRecovery(v), nil
}

// offerRecovery makes a recovery key and keeps it until it is confirmed or dropped.
func offerRecovery(v *library.Session) RecoveryOffer {
	groups := rand.Perm(recoveryGroups)[:2]
	slices.Sort(groups)
	offer := RecoveryOffer{RecoveryKey: seal.NewRecoveryCode(), Ask: groups}
	library.Kept[recoveryOffer](v).mu.Lock()
	defer library.Kept[recoveryOffer](v).mu.Unlock()
	library.Kept[recoveryOffer](v).offer = offer
	return offer
}

// recoveryGroups is the number of groups of characters in a recovery key.
const recoveryGroups = 6

// ConfirmRecovery puts the key from BeginRecovery into use if typed equals those groups
// of its characters that RecoveryOffer.Ask names. After a mistake the person can retry.
func (s *Service) ConfirmRecovery(ctx context.Context, typed []string) error {
	return s.changeSlot(ctx, func(v *library.Session, ctx context.Context) error {
		code, err := confirmedKey(v, typed)
		if err != nil {
			return err
		}
		if err := v.Vault.SetRecovery(ctx, code); err != nil {
			return err
		}
		library.Kept[recoveryOffer](v).drop()
		return nil
	})
}

// confirmedKey returns the offered recovery key if the person typed its groups correctly.
func confirmedKey(v *library.Session, typed []string) (string, error) {
	library.Kept[recoveryOffer](v).mu.Lock()
	defer library.Kept[recoveryOffer](v).mu.Unlock()
	offer := library.Kept[recoveryOffer](v).offer
	if offer.RecoveryKey == "" {
		return "", fault.New(fault.Conflict, "no-recovery-offer", "No new recovery key was shown, or it was used already.").
			Advise("Ask for a new one and write it down.")
	}
	right := len(typed) == len(offer.Ask)
	for i := 0; right && i < len(typed); i++ {
		right = seal.SameRecoveryGroup(offer.RecoveryKey, offer.Ask[i], typed[i])
	}
	if !right {
		return "", fault.New(fault.Invalid, "recovery-groups-differ", "These are not the groups of the recovery key that was shown; the old key is still the one in use.").
			Advise("Compare them with what you wrote down and type them again.")
	}
	return offer.RecoveryKey, nil
}

func (o *recoveryOffer) drop() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.offer = RecoveryOffer{}
}

// UseRecovery opens the vault with its recovery key and sets a new passphrase. The
// recovery key stays valid.
func (s *Service) UseRecovery(ctx context.Context, code string, passphrase []byte) error {
	if err := seal.CheckPassphrase(passphrase); err != nil {
		return err
	}
	if err := s.UnlockRecovery(ctx, code); err != nil {
		return err
	}
	return s.changeSlot(ctx, func(v *library.Session, ctx context.Context) error {
		return v.Vault.SetPassphrase(ctx, code, passphrase, newCost(v))
	})
}

// HasKeychain reports whether this computer has a keychain that Keepsake may read.
func (s *Service) HasKeychain(context.Context) bool {
	if s.cfg.Keychain == nil {
		return false
	}
	_, err := s.cfg.Keychain.Get("probe")
	return err == nil || fault.CodeOf(err) == fault.NotFound
}

func (s *Service) keychain() (Keychain, error) {
	if s.cfg.Keychain == nil {
		return nil, fault.New(fault.Unsupported, "no-keychain", "This computer offers Keepsake no keychain, or did not let it in.").
			Advise("Open the vault with its passphrase. Nothing was changed.")
	}
	return s.cfg.Keychain, nil
}

// AllowKeychain adds a key slot for the operating system's keychain, which can then open
// the vault. It checks the passphrase first.
func (s *Service) AllowKeychain(ctx context.Context, passphrase []byte) error {
	return s.changeSlot(ctx, func(v *library.Session, ctx context.Context) error {
		chain, err := s.keychain()
		if err != nil {
			return err
		}
		if err := v.Vault.Unlock(ctx, passphrase); err != nil {
			return err
		}
		key := seal.NewKeychainKey()
		defer clear(key)
		id := v.Vault.Info().VaultID
		if err := chain.Set(id, key); err != nil {
			return err
		}
		if err := v.Vault.AllowKeychain(ctx, key); err != nil {
			_ = chain.Delete(id)
			return err
		}
		return nil
	})
}

// RemoveKeychain removes the keychain's key slot, so that it no longer opens the vault.
func (s *Service) RemoveKeychain(ctx context.Context) error {
	return s.changeSlot(ctx, func(v *library.Session, _ context.Context) error {
		if err := v.Vault.RemoveKeychain(); err != nil {
			return err
		}
		s.forgetKeychain(v)
		return nil
	})
}

// forgetKeychain deletes both entries of the vault from the system's keychain: its key,
// which opens no vault any more, and its generation (see generationEntry).
func (s *Service) forgetKeychain(v *library.Session) {
	if s.cfg.Keychain != nil {
		id := v.Vault.Info().VaultID
		_ = s.cfg.Keychain.Delete(id)
		_ = s.cfg.Keychain.Delete(generationEntry(id))
	}
}

// strengthen rewrites the passphrase slot in the background with today's KDF cost, if the
// slot's cost is lower.
func (s *Service) strengthen(passphrase []byte) {
	v, bound, release, err := s.lib.Hold(context.Background())
	if err != nil {
		return
	}
	if _, due := v.Vault.Info().KDF.Upgrade(seal.TestKDF()); !due {
		release()
		return
	}
	own := bytes.Clone(passphrase)
	go func() {
		defer release()
		defer clear(own)
		if did, err := v.Vault.UpgradeKDF(bound, own, seal.DefaultKDF); did && err == nil {
			s.lib.Emit(library.EventVault, nil)
		}
	}()
}
