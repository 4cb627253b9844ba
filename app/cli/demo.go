package cli

import (
	"github.com/spf13/cobra"

	"keepsake/backend/core"
)

func (d *door) demo() *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "Do the whole main job on a built-in sample, in a throw-away vault",
		Args:  exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			svc, err := d.service()
			if err != nil {
				return err
			}
			tell := func(s core.DemoStep) {
				d.sayIf(!d.json, "%s", s.Text)
			}
			result, err := svc.Demo(cmd.Context(), tell)
			err = d.answerUnless(err, result, func() {})
			return orNotSo(err, result.Verified)
		},
	}
}
