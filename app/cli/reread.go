package cli

import "github.com/spf13/cobra"

func (d *door) reread() *cobra.Command {
	return &cobra.Command{
		Use:   "reread IMPORT_ID",
		Short: "Read the kept files of an import again, with the readers of today",
		Long:  "Reads what import --keep-original sealed into the vault once more. The same things keep their ids, what was edited stays,\nand the answer is the report of an import of its own.",
		Args:  exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, err := d.unlocked(cmd.Context())
			if err != nil {
				return err
			}
			report, err := svc.Reread(cmd.Context(), args[0], d.progressTo())
			if err != nil {
				return err
			}
			return d.finishImport(cmd.Context(), svc, report, false)
		},
	}
}
