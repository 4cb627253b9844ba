package cli

import (
	"context"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
)

func (d *door) undo() *cobra.Command {
	return &cobra.Command{
		Use:   "undo",
		Short: "Take back the last change; an import is one change",
		Args:  exactly(0),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, _ []string) error {
			change, err := svc.Undo(ctx)
			return d.answerUnless(err, change, func() { d.say("Took back: %s of %s.", change.Kind, change.At) })
		}),
	}
}
