package cli

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
	"keepsake/backend/fault"
)

// service builds the Service on the vault that was named, or on the default. In the owner
// it is there.
func (d *door) service() (*core.Service, error) {
	if d.env.Opened != nil {
		d.svc = d.env.Opened
		return d.svc, nil
	}
	svc, err := d.env.NewService(d.vaultNamed())
	if err != nil {
		return nil, err
	}
	d.svc = svc
	return svc, nil
}

// vaultNamed is the folder of the vault that was named, "" for the default.
func (d *door) vaultNamed() string { return cmp.Or(d.vaultDir, d.env.Getenv("KEEPSAKE_VAULT")) }

// existing builds the Service on a vault that is there: nobody is asked for the
// secrets of one that is not.
func (d *door) existing(ctx context.Context) (*core.Service, core.VaultState, error) {
	svc, err := d.service()
	if err != nil {
		return nil, core.VaultState{}, err
	}
	state, err := svc.VaultState(ctx)
	if err == nil && !state.Exists {
		err = core.NoVault(state.Dir)
	}
	if err == nil && d.prompts() {
		if err = svc.MayUnlock(ctx); fault.CodeOf(err) == fault.Busy {
			_, err = d.ownersVault(ctx, svc, err)
		}
	}
	return svc, state, d.diagnosed(ctx, err)
}

// onService is what a command does with the Service that it builds, whose vault need not open.
func (d *door) onService(do func(ctx context.Context, svc *core.Service, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		svc, err := d.service()
		if err != nil {
			return err
		}
		return do(cmd.Context(), svc, args)
	}
}

// unlocked builds the Service and opens its vault with the passphrase.
func (d *door) unlocked(ctx context.Context) (*core.Service, error) {
	return d.unlockedBy(ctx, d.unlock)
}

// onVault is what a command does on the vault, once that is unlocked.
func (d *door) onVault(do func(ctx context.Context, svc *core.Service, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		svc, err := d.unlocked(cmd.Context())
		if err != nil {
			return err
		}
		return do(cmd.Context(), svc, args)
	}
}

// unlockedBy is unlocked with a way of one's own to unlock.
func (d *door) unlockedBy(ctx context.Context, unlock func(context.Context, *core.Service) error) (*core.Service, error) {
	svc, state, err := d.existing(ctx)
	if err != nil {
		return nil, err
	}
	if d.env.Opened == nil {
		if err := unlock(ctx, svc); err != nil {
			return nil, d.diagnosed(ctx, err)
		}
	}
	if state.WeakKDF && !d.tellsKDF {
		d.note("This vault was made with --kdf test: its passphrase is easy to guess. Do not keep real memories in it.")
	}
	return svc, nil
}

// unlockedKeeping is unlocked for what asks for the secret once more: it returns it, and
// takes no keychain for it. The caller clears the passphrase.
func (d *door) unlockedKeeping(ctx context.Context) (*core.Service, core.Secret, error) {
	var secret core.Secret
	svc, err := d.unlockedBy(ctx, func(ctx context.Context, svc *core.Service) (err error) {
		if secret, err = d.secret(); err != nil {
			return err
		}
		return d.unlockWith(ctx, svc, secret)
	})
	return svc, secret, err
}

// unlock opens the vault with its recovery key or the keychain where that was
// asked for, with its passphrase otherwise. Where another process has it open, that
// one runs the command.
func (d *door) unlock(ctx context.Context, svc *core.Service) error {
	if d.pass.keychain {
		return d.viaOwner(ctx, svc, core.Secret{Keychain: true}, svc.UnlockKeychain(ctx))
	}
	secret, err := d.secret()
	if err != nil {
		return err
	}
	defer clear(secret.Passphrase)
	return d.viaOwner(ctx, svc, secret, d.unlockWith(ctx, svc, secret))
}

func (d *door) unlockWith(ctx context.Context, svc *core.Service, secret core.Secret) error {
	if secret.Recovery != "" {
		return mistyped(secret, svc.UnlockRecovery(ctx, secret.Recovery))
	}
	return svc.Unlock(ctx, secret.Passphrase)
}

// mistyped marks a recovery key that is none: it does not open the vault either.
func mistyped(secret core.Secret, err error) error {
	if secret.Recovery != "" && fault.CodeOf(err) == fault.Invalid {
		return secretError{err}
	}
	return err
}
