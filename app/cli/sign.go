package cli

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
)

func (d *door) sign() *cobra.Command {
	var key, out string
	var file fileIn
	cmd := &cobra.Command{
		Use:   "sign PATH --key KEYFILE",
		Short: "Sign a PAM file, zip or folder with a key file",
		Args:  exactly(1),
		RunE: d.onService(func(ctx context.Context, svc *core.Service, args []string) error {
			in, err := file.input(d, args[0])
			if err != nil {
				return err
			}
			defer clear(in.Passphrase)
			dest, err := d.destination(out, streamName(args[0], strings.HasSuffix(strings.ToLower(args[0]), ".age")))
			if err != nil {
				return err
			}
			ask := func() ([]byte, error) { return d.passphrase("Passphrase of the key file: ", false) }
			signed, err := svc.SignFile(ctx, in, key, ask, dest)
			return d.answerUnless(reading(err), signed, func() { d.say("Signed %s as %s.", d.written(cmp.Or(out, args[0])), signed.DID) })
		}),
	}
	cmd.Flags().StringVar(&key, "key", "", "key file made by keygen")
	cmd.Flags().StringVarP(&out, "out", "o", "", "file, zip or folder to write (default: in place); "+toStdout)
	_ = cmd.MarkFlagRequired("key")
	file.register(cmd.Flags())
	return cmd
}
