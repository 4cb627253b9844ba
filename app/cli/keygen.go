package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

func (d *door) keygen() *cobra.Command {
	var out string
	var plain bool
	cmd := &cobra.Command{
		Use:   "keygen -o KEYFILE",
		Short: "Make a signing key in a file of its own",
		Args:  exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if flag := d.pass.given(); plain && flag != "" {
				return usageError{fmt.Errorf("--plain leaves the key file open, and --%s asks for the opposite", flag)}
			}
			if err := onlyFile(out, "a signing key is a secret, so it is written to a file and not to standard output"); err != nil {
				return err
			}
			svc, err := d.service()
			if err != nil {
				return err
			}
			ask := func() ([]byte, error) { return d.passphrase("Passphrase for the key file: ", true) }
			if plain {
				ask = nil
			}
			key, err := svc.Keygen(cmd.Context(), out, ask)
			return d.answerUnless(err, key, func() {
				d.say("Wrote %s. It signs as %s.", out, key.DID)
				d.say("Fingerprint %s (%s).", key.Fingerprint, strings.Join(key.Words, " "))
			})
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "file to write; it must not exist")
	cmd.Flags().BoolVar(&plain, "plain", false, "do not encrypt the key file")
	_ = cmd.MarkFlagRequired("out")
	return cmd
}
