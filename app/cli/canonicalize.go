package cli

import (
	"context"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/plainfile"
)

func (d *door) canonicalize() *cobra.Command {
	return &cobra.Command{
		Use:   "canonicalize FILE",
		Short: "Print a JSON file in its RFC 8785 form",
		Args:  exactly(1),
		RunE: d.onService(func(ctx context.Context, svc *core.Service, args []string) error {
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
			return reading(svc.Canonicalize(ctx, in, d.env.Stdout))
		}),
	}
}
