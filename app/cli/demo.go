package cli

import (
	"context"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
)

func (d *door) demo() *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "Do the whole main job on a built-in sample, in a throw-away vault",
		Args:  exactly(0),
		RunE: d.onService(func(ctx context.Context, svc *core.Service, _ []string) error {
			tell := func(s core.DemoStep) {
				d.sayIf(!d.json, "%s", s.Text)
			}
			result, err := svc.Demo(ctx, tell)
			err = d.answerUnless(err, result, func() {})
			return orNotSo(err, result.Verified)
		}),
	}
}
