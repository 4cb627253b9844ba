package cli

import (
	"github.com/spf13/cobra"

	"keepsake/backend/fault"
	"keepsake/backend/plainfile"
)

func (d *door) canonicalize() *cobra.Command {
	return &cobra.Command{
		Use:   "canonicalize FILE",
		Short: "Print a JSON file in its RFC 8785 form",
		Args:  exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, err := d.service()
			if err != nil {
				return err
			}
			in := d.env.Stdin
			if args[0] != "-" {
				f, err := plainfile.OpenStream(args[0])
				if fault.Known(err) {
					return err
				}
				if err != nil {
					return reading(fault.New(fault.NotFound, "no-file", "{name} cannot be opened.").With("name", args[0]).Because(err))
				}
				defer f.Close()
				in = f
			}
			return reading(svc.Canonicalize(cmd.Context(), in, d.env.Stdout))
		},
	}
}
