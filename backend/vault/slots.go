package vault

import (
	"cmp"
	"context"
	"strings"

	"keepsake/backend/seal"
)

// auditEntry says what an operation on the keys did, for the audit log.
type auditEntry struct{ action, what string }

// audit joins the entry to the transaction of its operation.
func (tx *Tx) audit(e auditEntry) error {
	return tx.Audit(Audited{Actor: You, Action: strings.TrimSpace(e.action + " " + e.what)})
}

// ChangePassphrase gives the vault another passphrase; the old one opens it no
// more, also not with an older copy of the header. Killed at any moment, the
// vault opens with the old one or the new one. WrongPassphrase when old is not
// the passphrase.
func (v *Vault) ChangePassphrase(ctx context.Context, old, passphrase []byte, cost seal.KDF) error {
	if err := seal.CheckPassphrase(passphrase); err != nil {
		return err
	}
	secret := seal.PassphraseSecret(old)
	defer secret.Clear()
	return v.rewrap(ctx, &secret, seal.PassphraseSecret(passphrase), auditEntry{"slot-changed", seal.PassphraseSlot},
		func(seal.KDF) (seal.KDF, bool) { return cost, true })
}

// SetPassphrase is ChangePassphrase for who opened the vault with its recovery
// key.
func (v *Vault) SetPassphrase(ctx context.Context, code string, passphrase []byte, cost seal.KDF) error {
	if err := seal.CheckPassphrase(passphrase); err != nil {
		return err
	}
	secret, err := seal.RecoverySecret(code)
	if err != nil {
		return err
	}
	defer secret.Clear()
	return v.rewrap(ctx, &secret, seal.PassphraseSecret(passphrase), auditEntry{"slot-changed", seal.PassphraseSlot},
		func(seal.KDF) (seal.KDF, bool) { return cost, true })
}

// UpgradeKDF wraps the passphrase slot again where it costs less than what is
// written today, with today's cost or its own, whichever is more. The cost for
// tests is left alone. It reports whether there was something to do.
func (v *Vault) UpgradeKDF(ctx context.Context, passphrase []byte, today func() seal.KDF) (bool, error) {
	secret := seal.PassphraseSecret(passphrase)
	defer secret.Clear()
	done := false
	err := v.rewrap(ctx, &secret, seal.PassphraseSecret(passphrase), auditEntry{"slot-upgraded", seal.PassphraseSlot},
		func(is seal.KDF) (seal.KDF, bool) {
			if _, due := is.Upgrade(is); !due {
				return is, false
			}
			done = true
			return is.Upgrade(today())
		})
	return done && err == nil, err
}

// SetRecovery makes code, which seal.NewRecoveryCode made, the recovery key.
// The old one opens the vault no more.
func (v *Vault) SetRecovery(ctx context.Context, code string) error {
	secret, err := seal.RecoverySecret(code)
	if err != nil {
		return err
	}
	return v.rewrap(ctx, nil, secret, auditEntry{"slot-changed", seal.RecoverySlot}, v.besidePassphrase)
}

// AllowKeychain adds a slot for key, which seal.NewKeychainKey made, or
// replaces the one that is there.
func (v *Vault) AllowKeychain(ctx context.Context, key []byte) error {
	secret, err := seal.KeychainSecret(key)
	if err != nil {
		return err
	}
	return v.rewrap(ctx, nil, secret, auditEntry{"slot-added", seal.KeychainSlot}, v.besidePassphrase)
}

// RemoveKeychain takes the keychain's slot away; where there is none it does
// nothing.
func (v *Vault) RemoveKeychain() error {
	return v.changeHeader(auditEntry{"slot-removed", seal.KeychainSlot}, func(h *seal.Header, keys *seal.Keys) (*seal.Header, error) {
		if _, there := h.Cost(seal.KeychainSlot); !there {
			return nil, nil
		}
		return h.Without(keys), nil
	})
}

// besidePassphrase is the cost of a slot whose secret is random.
func (v *Vault) besidePassphrase(seal.KDF) (seal.KDF, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	cost, _ := v.header.Cost(seal.PassphraseSlot)
	return cost.ForRandom(), true
}

// rewrap gives the master key a new slot in the place of the one of the same
// kind, and clears the new secret. proof, where given, must open the vault.
// costOf decides from the present cost of that kind, or lets things be.
func (v *Vault) rewrap(ctx context.Context, proof *seal.Secret, secret seal.Secret, audit auditEntry, costOf func(seal.KDF) (seal.KDF, bool)) error {
	defer secret.Clear()
	return v.changeHeader(audit, func(h *seal.Header, keys *seal.Keys) (*seal.Header, error) {
		is, _ := h.Cost(secret.Kind())
		cost, due := costOf(is)
		if !due {
			return nil, nil
		}
		if proof != nil {
			proved, err := h.Open(ctx, *proof)
			if err != nil {
				return nil, err
			}
			proved.Wipe()
		}
		next, err := h.With(keys, secret, cost, v.now())
		return next, cmp.Or(err, ctx.Err())
	})
}

// changeHeader puts the header in its place that change makes of the present one;
// nil leaves it.
func (v *Vault) changeHeader(e auditEntry, change func(*seal.Header, *seal.Keys) (*seal.Header, error)) error {
	v.opening.Lock()
	defer v.opening.Unlock()
	h, keys, leave, err := v.headed()
	if err != nil {
		return err
	}
	defer leave()
	next, err := change(h, keys)
	if err != nil || next == nil {
		return err
	}
	if err := v.putHeader(next, e); err != nil {
		return err
	}
	v.keepHeader(next)
	return nil
}

// headed is enter for changes of the header, which opening keeps from others. No
// compaction begins until it is left.
func (v *Vault) headed() (*seal.Header, *seal.Keys, func(), error) {
	v.copying.Lock()
	keys, _, err := v.enter()
	if err != nil {
		v.copying.Unlock()
		return nil, nil, nil, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.header, keys, func() { v.leave(); v.copying.Unlock() }, nil
}
