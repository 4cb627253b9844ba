package cli

import "github.com/spf13/cobra"

func (d *door) undo() *cobra.Command {
	return &cobra.Command{
		Use:   "undo",
		Short: "Take back the last change; an import is one change",
		Args:  exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			svc, err := d.unlocked(cmd.Context())
			if err != nil {
				return err
			}
			change, err := svc.Undo(cmd.Context())
			if err != nil {
				return err
			}
			return d.answer(change, func() { d.say("Took back: %s of %s.", change.Kind, change.At) })
		},
	}
}
