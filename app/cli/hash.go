package cli

import "github.com/spf13/cobra"

func (d *door) hash() *cobra.Command {
	return &cobra.Command{
		Use:   "hash",
		Short: "Print the content hash (PAM §6) of standard input",
		Args:  exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			svc, err := d.service()
			if err != nil {
				return err
			}
			sum, err := svc.Hash(cmd.Context(), d.env.Stdin)
			return d.answerUnless(reading(err), map[string]string{"content_hash": sum}, func() { d.say("%s", sum) })
		},
	}
}
