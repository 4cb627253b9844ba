package cli

import (
	"context"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
)

func (d *door) hash() *cobra.Command {
	return &cobra.Command{
		Use:   "hash",
		Short: "Print the content hash (PAM §6) of standard input",
		Args:  exactly(0),
		RunE: d.onService(func(ctx context.Context, svc *core.Service, _ []string) error {
			sum, err := svc.Hash(ctx, d.env.Stdin)
			return d.answerUnless(reading(err), map[string]string{"content_hash": sum}, func() { d.say("%s", sum) })
		}),
	}
}
