package cli

import (
	"context"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
)

// withCopies is the flag of commands after which a vault that a restore put aside
// would still hold, or be opened by, what they take away.
type withCopies struct{ remove bool }

func (c *withCopies) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&c.remove, "with-copies", false, "remove the vaults, too, that restores put aside beside this one")
}

// asidesOpen is said after the secrets of a vault have changed.
const asidesOpen = "These vaults, put aside when a backup was restored, still open with the old secrets:"

// settle removes them where that was asked for, and names them otherwise. It speaks to
// standard error: the answer of the command is another one.
func (c *withCopies) settle(ctx context.Context, d *door, svc *core.Service, said string) error {
	if c.remove {
		removed, err := svc.RemoveAsides(ctx)
		for _, a := range removed {
			d.note("Removed: %s", a.Path)
		}
		return err
	}
	all, err := svc.Asides(ctx)
	if err != nil || len(all) == 0 {
		return err
	}
	d.note("%s", said)
	for _, a := range all {
		d.note("  %s", a.Path)
	}
	d.note("Remove them with the same command and --with-copies, or by hand.")
	return nil
}
