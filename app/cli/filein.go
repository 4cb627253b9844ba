package cli

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"keepsake/backend/core"
)

// fileIn is a file that is looked at, and how it is opened where it is
// encrypted.
type fileIn struct {
	passphraseFile string
	account        string // whose export it is, for commands that ask
}

func (f *fileIn) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.passphraseFile, "in-passphrase-file", "", `file whose first line is the passphrase of an encrypted file; "-" is standard input`)
}

func (f *fileIn) input(d *door, path string) (core.Input, error) {
	in := core.Input{Path: path}
	if f.passphraseFile == "" {
		return in, nil
	}
	var err error
	in.Passphrase, err = d.lineOf(f.passphraseFile)
	return in, err
}

// inputs are several files, with one passphrase for those that are encrypted.
func (f *fileIn) inputs(d *door, paths []string) ([]core.Input, error) {
	first, err := f.input(d, "")
	all := make([]core.Input, len(paths))
	for i, path := range paths {
		all[i] = core.Input{Path: path, Passphrase: first.Passphrase, Account: f.account}
	}
	return all, err
}

// overFile is a command about one file, which may be encrypted.
func (d *door) overFile(use, short string, do func(ctx context.Context, svc *core.Service, file core.Input) error) *cobra.Command {
	var file fileIn
	cmd := &cobra.Command{
		Use:   use,
		Short: short,
		Args:  exactly(1),
		RunE: d.onService(func(ctx context.Context, svc *core.Service, args []string) error {
			in, err := file.input(d, args[0])
			if err != nil {
				return err
			}
			defer clear(in.Passphrase)
			return do(ctx, svc, in)
		}),
	}
	file.register(cmd.Flags())
	return cmd
}
