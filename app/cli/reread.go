package cli

import (
	"context"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
)

func (d *door) reread() *cobra.Command {
	return &cobra.Command{
		Use:   "reread IMPORT_ID",
		Short: "Read the kept files of an import again, with the readers of today",
		Long:  "Reads what import --keep-original sealed into the vault once more. The same things keep their ids, what was edited stays,\nand the answer is the report of an import of its own.",
		Args:  exactly(1),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, args []string) error {
			report, err := svc.Reread(ctx, args[0], d.progressTo())
			if err != nil {
				return err
			}
			return d.finishImport(ctx, svc, report, false)
		}),
	}
}
