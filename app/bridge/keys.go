package bridge

import (
	"context"

	"keepsake/backend/core"
)

// Keys is what a page may do with the ways into the vault and its keys.
type Keys struct {
	k     *kit
	rekey work
}

// Suggest makes a passphrase of six random words.
func (y *Keys) Suggest() (string, error) {
	return call(y.k, func(context.Context) (string, error) { return y.k.core.SuggestPassphrase(), nil })
}

// ChangePassphrase asks for the old one, which opens nothing afterwards.
func (y *Keys) ChangePassphrase(old, passphrase string) (VaultView, error) {
	return y.k.vaultAfter(func(ctx context.Context) error {
		return y.k.core.ChangePassphrase(ctx, []byte(old), []byte(passphrase))
	})
}

// BeginRecovery shows a new recovery key; the present one stays in use until
// ConfirmRecovery.
func (y *Keys) BeginRecovery(passphrase string) (RecoveryView, error) {
	return y.offer(func(ctx context.Context) (core.RecoveryOffer, error) {
		return y.k.core.BeginRecovery(ctx, []byte(passphrase))
	})
}

// BeginRekey shows the recovery key for a Rekey, where nothing stands in its
// way; the present one stays in use until then.
func (y *Keys) BeginRekey(old, passphrase string) (RecoveryView, error) {
	return y.offer(func(ctx context.Context) (core.RecoveryOffer, error) {
		return y.k.core.BeginRekey(ctx, []byte(old), func() ([]byte, error) { return []byte(passphrase), nil })
	})
}

func (y *Keys) offer(begin func(context.Context) (core.RecoveryOffer, error)) (RecoveryView, error) {
	return call(y.k, func(ctx context.Context) (RecoveryView, error) {
		offer, err := begin(ctx)
		if err != nil {
			return RecoveryView{}, err
		}
		return RecoveryView{RecoveryKey: offer.RecoveryKey, RecoveryGroups: recoveryGroups(offer.RecoveryKey), Ask: offer.Ask}, nil
	})
}

// ConfirmRecovery puts the new recovery key into use, once the groups it asked
// for were typed back, in their order.
func (y *Keys) ConfirmRecovery(typed []string) (VaultView, error) {
	return y.k.vaultAfter(func(ctx context.Context) error { return y.k.core.ConfirmRecovery(ctx, typed) })
}

// UseRecovery opens the vault with its recovery key and gives it a new
// passphrase.
func (y *Keys) UseRecovery(code, passphrase string) (VaultView, error) {
	return y.k.vaultAfter(func(ctx context.Context) error { return y.k.core.UseRecovery(ctx, code, []byte(passphrase)) })
}

// Keychain says whether this computer has one, and whether the vault uses it.
func (y *Keys) Keychain() (KeychainView, error) {
	return call(y.k, func(ctx context.Context) (KeychainView, error) {
		state, err := y.k.core.VaultState(ctx)
		view := KeychainView{Available: y.k.core.HasKeychain(ctx)}
		for _, slot := range state.Slots {
			view.Allowed = view.Allowed || slot.Kind == "keychain"
		}
		return view, err
	})
}

// AllowKeychain lets this computer's keychain open the vault.
func (y *Keys) AllowKeychain(passphrase string) (VaultView, error) {
	return y.k.vaultAfter(func(ctx context.Context) error { return y.k.core.AllowKeychain(ctx, []byte(passphrase)) })
}

// RemoveKeychain takes that back.
func (y *Keys) RemoveKeychain() (VaultView, error) {
	return y.k.vaultAfter(func(ctx context.Context) error { return y.k.core.RemoveKeychain(ctx) })
}

// UnlockKeychain opens the vault with what the keychain holds.
func (y *Keys) UnlockKeychain() (VaultView, error) {
	return y.k.vaultAfter(func(ctx context.Context) error { return y.k.core.UnlockKeychain(ctx) })
}

// Rotation says how far a rotation of the data key is.
func (y *Keys) Rotation() (RotationView, error) {
	return show(y.k, rotationView, func(ctx context.Context) (core.Rotation, error) { return y.k.core.Rotation(ctx) })
}

// BeginRotation makes a new data key; the rest follows in the background.
func (y *Keys) BeginRotation() error {
	return do(y.k, func(ctx context.Context) error { return y.k.core.BeginRotation(ctx) })
}

// PauseRotation leaves the rest for later.
func (y *Keys) PauseRotation() error {
	return do(y.k, func(ctx context.Context) error { return y.k.core.PauseRotation(ctx) })
}

// ResumeRotation goes on.
func (y *Keys) ResumeRotation() error {
	return do(y.k, func(ctx context.Context) error { return y.k.core.ResumeRotation(ctx) })
}

// Rekey gives the vault new keys throughout, with the recovery key of
// BeginRekey. The events "rekey" tell how far it is.
func (y *Keys) Rekey(old, passphrase string, typed []string) (VaultView, error) {
	return y.k.vaultAfter(func(ctx context.Context) error {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		y.stops(stop)
		defer y.stops(nil)
		return y.k.core.Rekey(ctx, []byte(old), []byte(passphrase), typed, func(done, total int) {
			y.k.host.Emit(EventRekey, RekeyView{Done: done, Total: total})
		})
	})
}

func (y *Keys) stops(stop context.CancelFunc) {
	y.rekey.mu.Lock()
	defer y.rekey.mu.Unlock()
	y.rekey.stop = stop
}

// StopRekey stops a re-key that is under way; nothing is changed then.
func (y *Keys) StopRekey() error {
	return do(y.k, y.rekey.cancel)
}

func rotationView(r core.Rotation) RotationView {
	return RotationView{Running: r.Running, Paused: r.Paused, KeyVersion: int(r.KeyVersion), Done: r.Done, Total: r.Total}
}
