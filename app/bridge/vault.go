package bridge

import (
	"context"
	"strings"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/product"
)

// Vault is what a page may ask of the vault as a whole.
type Vault struct{ k *kit }

// State says how the vault stands; it never fails for a locked or absent one.
func (v *Vault) State() (VaultView, error) { return call(v.k, v.k.vault) }

// Create makes the vault and opens it. kdf is "calibrated" or "strong".
func (v *Vault) Create(passphrase, kdf string) (NewVaultView, error) {
	return call(v.k, func(ctx context.Context) (NewVaultView, error) {
		if kdf != "calibrated" && kdf != "strong" {
			return NewVaultView{}, fault.New(fault.Invalid, "unknown-kdf", "There is no way of deriving keys called {kdf}; there are calibrated, strong and test.").With("kdf", kdf)
		}
		made, err := v.k.core.CreateVault(ctx, []byte(passphrase), kdf)
		if err != nil {
			return NewVaultView{}, err
		}
		state, err := v.k.vault(ctx)
		return NewVaultView{Vault: state, RecoveryKey: made.RecoveryKey, RecoveryGroups: recoveryGroups(made.RecoveryKey)}, err
	})
}

// Unlock opens the vault with its passphrase.
func (v *Vault) Unlock(passphrase string) (VaultView, error) {
	return v.k.vaultAfter(func(ctx context.Context) error { return v.k.core.Unlock(ctx, []byte(passphrase)) })
}

// UnlockRecovery opens the vault with its recovery key.
func (v *Vault) UnlockRecovery(code string) (VaultView, error) {
	return v.k.vaultAfter(func(ctx context.Context) error { return v.k.core.UnlockRecovery(ctx, code) })
}

// Lock closes the vault. A running import stops at a whole batch.
func (v *Vault) Lock() error {
	return do(v.k, func(ctx context.Context) error { return v.k.core.Lock(ctx) })
}

// LockedOut names the agents that asked since the vault was locked, and got nothing.
func (v *Vault) LockedOut() ([]string, error) {
	return call(v.k, func(context.Context) ([]string, error) {
		v.k.mu.Lock()
		defer v.k.mu.Unlock()
		return append([]string{}, v.k.lockedOut...), nil
	})
}

// Present says that the person did something on the page. It is told at most
// every few seconds.
func (v *Vault) Present() error {
	return do(v.k, func(context.Context) error {
		v.k.core.Present()
		return nil
	})
}

// EstimateUnlock measures how long an unlock takes here, in milliseconds.
func (v *Vault) EstimateUnlock() (int, error) {
	return call(v.k, func(ctx context.Context) (int, error) {
		d, err := v.k.core.EstimateUnlock(ctx)
		return int(d.Milliseconds()), err
	})
}

// TrySample opens a throw-away vault with a small made-up export in it.
func (v *Vault) TrySample() (VaultView, error) {
	return v.k.vaultAfter(func(ctx context.Context) error { return v.k.core.TrySample(ctx) })
}

// Choose asks for the folder of another vault and turns to it.
func (v *Vault) Choose() (VaultView, error) {
	return v.k.vaultAfter(func(ctx context.Context) error {
		dir, err := v.k.host.OpenFolder(product.Name)
		if err != nil || dir == "" {
			return orCancelled(err)
		}
		return v.k.core.Select(ctx, dir)
	})
}

// vaultAfter runs op and says how the vault stands afterwards.
func (k *kit) vaultAfter(op func(ctx context.Context) error) (VaultView, error) {
	return call(k, func(ctx context.Context) (VaultView, error) {
		if err := op(ctx); err != nil {
			return VaultView{}, err
		}
		return k.vault(ctx)
	})
}

func (k *kit) vault(ctx context.Context) (VaultView, error) {
	state, err := k.core.VaultState(ctx)
	return vaultView(state), err
}

func vaultView(s core.VaultState) VaultView {
	return VaultView{
		Exists: s.Exists, Unlocked: s.Unlocked, Sample: s.Sample, Name: s.Name, Folder: s.Dir,
		VaultID: s.VaultID, Format: s.Format, Size: s.Size, KDF: s.KDF, WeakKDF: s.WeakKDF,
		Frozen: s.Frozen, LastBackup: s.LastBackup.String(), Warning: s.Warning, OwnerID: s.OwnerID, DID: s.DID,
		LastChanged: s.LastChanged.String(), Memories: s.Memories, Conversations: s.Conversations,
		Messages: s.Messages, Relations: s.Relations, LogsReading: s.LogsReading, LockedBy: string(s.LockedBy),
		Slots: list(s.Slots, func(slot core.Slot) SlotView {
			return SlotView{Kind: slot.Kind, CreatedAt: slot.CreatedAt.String()}
		}),
	}
}

func recoveryGroups(code string) []string {
	return append([]string{}, strings.FieldsFunc(code, func(r rune) bool { return r == '-' || r == ' ' })...)
}

// orCancelled is err, or the fault of a dialog that was closed.
func orCancelled(err error) error {
	if err != nil {
		return err
	}
	return fault.New(fault.Cancelled, "dialog-closed", "Nothing was chosen.")
}
