package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
)

// exportForm is the command of one form that people read.
func (d *door) exportForm(form core.Form, out, short string) *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use:   string(form) + " -o " + out,
		Short: short,
		Args:  exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.out == "" && !f.dryRun {
				return usageError{errors.New("name the file to write with -o")}
			}
			if err := f.read(d); err != nil {
				return err
			}
			defer clear(f.options.Passphrase)
			svc, err := d.unlocked(cmd.Context())
			if err != nil {
				return err
			}
			o := core.FormOptions{ExportOptions: f.options, Form: form}
			if f.dryRun {
				p, err := svc.PreviewForm(cmd.Context(), o)
				if err != nil {
					return err
				}
				return d.sayPreview(cmd.Context(), svc, o.ExportOptions, p)
			}
			result, err := svc.ExportForm(cmd.Context(), f.out, o)
			if err != nil {
				return err
			}
			return d.answer(result, func() { d.sayForm(result) })
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.out, "out", "o", "", "what to write: "+out)
	flags.StringSliceVar(&f.include, "include", nil, "conversations")
	f.addSelection(flags)
	f.addEncryption(flags, "age format")
	f.redaction.add(flags)
	return cmd
}

func (d *door) sayForm(r core.FormResult) {
	d.say("Wrote %s: %s, %s, %s, %s bytes.", printable(r.Path), count(r.Memories, "memory", "memories"), count(r.Relations, "relation", "relations"),
		count(r.Conversations, "conversation", "conversations"), grouped(int(r.Bytes)))
	d.sayExcluded(r.Excluded)
	if r.Hidden > 0 {
		d.say("Hid %s that looked like personal data or secrets.", count(r.Hidden, "place", "places"))
	}
	d.say("Checksum %s", r.Checksum)
	if !r.Encrypted {
		d.say("This is a plain export: anyone who has it can read it. --encrypt protects it with a passphrase.")
	}
}
