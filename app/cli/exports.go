package cli

import (
	"context"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
)

func (d *door) exports() *cobra.Command {
	return &cobra.Command{
		Use:   "exports",
		Short: "List the exports that were made, newest first",
		Args:  exactly(0),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, _ []string) error {
			all, err := svc.Exports(ctx)
			return d.answerUnless(err, listOf(all, len(all)), func() {
				for _, e := range all {
					d.say("%s  %s  %-11s  %-8s  %-9s  %s  %s", e.ExportID, e.ExportDate, e.ExportType, oneOrOther(e.Signed, "signed", "unsigned"),
						oneOrOther(e.Encrypted, "encrypted", "plain"), e.File, count(e.Memories, "memory", "memories"))
				}
				d.say("%s", count(len(all), "export", "exports"))
			})
		}),
	}
}
