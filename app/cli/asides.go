package cli

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
)

// withCopies is the flag of commands after which a copy of the vault that a restore put
// aside would still hold, or be opened by, what they take away.
type withCopies struct{ remove bool }

func (c *withCopies) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&c.remove, "with-copies", false, "remove the copies of the vault, too, that restores put aside beside it")
}

// unlocked opens the vault, and keeps what is asked for where copies are to be removed.
func (c *withCopies) unlocked(ctx context.Context, d *door) (*core.Service, core.Secret, error) {
	if c.remove {
		return d.unlockedKeeping(ctx)
	}
	svc, err := d.unlocked(ctx)
	return svc, core.Secret{}, err
}

// asidesOldKeys is said after the data key of a vault has changed.
const asidesOldKeys = "These copies of the vault, put aside when a backup was restored, keep the data keys of before:"

// asidesOpen is said after the secrets of a vault have changed.
const asidesOpen = "These copies of the vault, put aside when a backup was restored, still open with the old secrets:"

// settle removes them where that was asked for, has the command give its answer with
// those that are left, and names them. Removing asks for the secret of the vault as it
// is now; where it fails the answer is given all the same, for what it tells is done.
func (c *withCopies) settle(ctx context.Context, d *door, svc *core.Service, secret core.Secret, said string, answer func(left []core.Aside) error) error {
	var removed []core.Aside
	var failed error
	if c.remove {
		removed, failed = svc.RemoveAsides(ctx, secret)
	}
	for _, a := range removed {
		d.note("Removed: %s", a.Path)
	}
	left, err := svc.Asides(ctx)
	if err := answer(left); err != nil {
		return err
	}
	d.nameAsides(left, said)
	return errors.Join(failed, err)
}

// sayAsides tells of them as a part of what the vault is.
func (d *door) sayAsides(all []core.Aside) {
	own := slices.ContainsFunc(all, func(a core.Aside) bool { return a.Same })
	for _, a := range all {
		if a.Same {
			d.say("Put aside when a backup was restored, an earlier state of this vault: %s", a.Path)
		} else {
			d.say("Put aside when a backup was restored, another vault: %s", a.Path)
		}
	}
	if own {
		d.say("What this vault has forgotten since is still in an earlier state, and old secrets open it. passphrase, recovery, rotate, rekey, forget and destroy remove it with --with-copies.")
	}
}

// nameAsides speaks to standard error: the answer of the command is another one. Vaults
// that are not known to be earlier states of this one are told apart, and never removed.
func (d *door) nameAsides(all []core.Aside, said string) {
	told := false
	for _, a := range all {
		if !a.Same {
			d.note("Beside it lies another vault that a restore put aside; it stays: %s", a.Path)
			continue
		}
		if !told {
			d.note("%s", said)
			told = true
		}
		d.note("  %s", a.Path)
	}
	if told {
		d.note("Remove them with the same command and --with-copies, or by hand.")
	}
}
