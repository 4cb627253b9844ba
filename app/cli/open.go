package cli

import (
	"context"

	"keepsake/backend/core"
)

// service builds the Service on the vault that was named, or on the default.
func (d *door) service() (*core.Service, error) {
	dir := d.vaultDir
	if dir == "" {
		dir = d.env.Getenv("KEEPSAKE_VAULT")
	}
	svc, err := d.env.NewService(dir)
	if err != nil {
		return nil, err
	}
	d.svc = svc
	return svc, nil
}

// unlocked builds the Service and opens its vault with the passphrase.
func (d *door) unlocked(ctx context.Context) (*core.Service, error) {
	svc, err := d.service()
	if err != nil {
		return nil, err
	}
	state, err := svc.VaultState(ctx)
	if err != nil {
		return nil, err
	}
	if !state.Exists {
		return nil, core.NoVault(state.Dir)
	}
	pass, err := d.passphrase("Passphrase: ", false)
	if err != nil {
		return nil, err
	}
	defer clear(pass)
	if err := svc.Unlock(ctx, pass); err != nil {
		return nil, err
	}
	if state.WeakKDF {
		d.note("This vault was made with --kdf test: its passphrase is easy to guess. Do not keep real memories in it.")
	}
	return svc, nil
}
