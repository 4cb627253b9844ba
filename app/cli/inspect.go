package cli

import (
	"github.com/spf13/cobra"

	"keepsake/backend/core"
)

func (d *door) inspect() *cobra.Command {
	return &cobra.Command{
		Use:   "inspect PATH",
		Short: "Say what is in a PAM file or bundle",
		Args:  exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, err := d.service()
			if err != nil {
				return err
			}
			in, err := svc.Inspect(cmd.Context(), core.Input{Path: args[0]})
			if err != nil {
				return reading(err)
			}
			return d.answer(in, func() { _ = d.printJSON(in) })
		},
	}
}
