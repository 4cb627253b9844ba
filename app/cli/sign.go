package cli

import "github.com/spf13/cobra"

func (d *door) sign() *cobra.Command {
	var key, out string
	cmd := &cobra.Command{
		Use:   "sign PATH --key KEYFILE",
		Short: "Sign a PAM file with a key file",
		Args:  exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, err := d.service()
			if err != nil {
				return err
			}
			ask := func() ([]byte, error) { return d.passphrase("Passphrase of the key file: ", false) }
			if out == "" {
				out = args[0]
			}
			signed, err := svc.SignFile(cmd.Context(), args[0], key, ask, out)
			if err != nil {
				return reading(err)
			}
			return d.answer(signed, func() { d.say("Signed %s as %s.", printable(out), signed.DID) })
		},
	}
	cmd.Flags().StringVar(&key, "key", "", "key file made by keygen")
	cmd.Flags().StringVarP(&out, "out", "o", "", "file to write (default: in place)")
	_ = cmd.MarkFlagRequired("key")
	return cmd
}
