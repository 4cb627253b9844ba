package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
	"keepsake/backend/product"
)

func (d *door) convert() *cobra.Command {
	var o core.ConvertOptions
	var out string
	var file fileIn
	cmd := &cobra.Command{
		Use:   "convert PATH… -o FILE.zip|DIR",
		Short: "Make a Portable AI Memory bundle of exports, without a vault of your own",
		Long:  "Reads exports of AI assistants and writes what they hold as a Portable AI Memory bundle, unsigned unless --sign is given.\nNo vault is needed, and nothing is kept.",
		Args:  atLeastOne,
		RunE: d.onService(func(ctx context.Context, svc *core.Service, args []string) error {
			if out == "" {
				return usageError{errors.New("name the bundle to write with -o")}
			}
			dest, err := d.destination(out, product.Program+".pam.zip")
			if err != nil {
				return err
			}
			in, err := file.inputs(d, args)
			if err != nil {
				return err
			}
			o.Ask = func() ([]byte, error) { return d.passphrase("Passphrase of the key file: ", false) }
			done, err := svc.Convert(ctx, in, dest, o, d.progressTo())
			if done.Import.ImportID == "" { // otherwise it is about what was to be written
				err = reading(err)
			}
			err = d.answerUnless(err, done, func() { d.sayConverted(done) })
			return orNotSo(err, !o.Import.Strict || len(done.Import.Problems) == 0)
		}),
	}
	flags := cmd.Flags()
	file.register(flags)
	flags.StringVarP(&out, "out", "o", "", "bundle to write: a file that ends in .zip, or a folder; "+toStdout+", as a zip")
	flags.StringVar(&o.Key, "sign", "", "sign it with this key file, made by keygen")
	flags.StringVar(&o.Import.Provider, "provider", "", "read it with this importer instead of detecting one")
	flags.StringVar(&file.account, "account", "", "whose exports they are, where they do not say so themselves")
	flags.BoolVar(&o.Import.AcceptBroken, "accept-broken", false, "take a PAM file although its signature or its sums are wrong")
	flags.BoolVar(&o.Import.AnyBase, "any-base", false, "take an incremental PAM file although what it builds on is not known")
	flags.BoolVar(&o.Import.Strict, "strict", false, "exit 1 when any item could not be read")
	return cmd
}

func (d *door) sayConverted(c core.Converted) {
	d.sayTaken(c.Import, "Read %s and found %s.", "Found %s.")
	d.say("Wrote %s: %s and %s.", d.written(c.Export.Path), count(c.Export.Memories, "memory", "memories"),
		count(c.Import.Conversations.New, "conversation", "conversations"))
	if c.SignedBy == nil {
		d.say("Not signed: whoever has it can change it.")
	} else {
		d.say("Signed as %s.", c.SignedBy.DID)
	}
	d.say("This is a plain export: anyone who has it can read it.")
}
