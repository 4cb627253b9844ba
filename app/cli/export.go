package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

// exportFlags are the flags of `export pam`.
type exportFlags struct {
	out               string
	include           []string
	kinds, statuses   []string
	encrypt           bool
	outPassphraseFile string
	options           core.ExportOptions
}

func (d *door) export() *cobra.Command {
	return parent("export", "Give memories back", d.exportPAM())
}

func (d *door) exportPAM() *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use:   "pam -o FILE.json|FILE.zip|DIR",
		Short: "Write a signed Portable AI Memory export",
		Args:  exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.read(d); err != nil {
				return err
			}
			defer clear(f.options.Passphrase)
			svc, err := d.unlocked(cmd.Context())
			if err != nil {
				return err
			}
			result, err := svc.ExportPAM(cmd.Context(), f.out, f.options)
			if err != nil {
				return err
			}
			return d.answer(result, func() { d.sayExport(result) })
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.out, "out", "o", "", "file (.json, .pam, .zip) or folder (any other name) to write")
	flags.BoolVar(&f.options.Unsigned, "unsigned", false, "do not sign")
	flags.StringSliceVar(&f.include, "include", nil, "conversations, attachments")
	flags.StringSliceVar(&f.statuses, "status", nil, "only memories in these states")
	flags.StringSliceVar(&f.kinds, "type", nil, "only memories of these types")
	flags.StringVar(&f.options.For, "for", "", "make it for this entity: only what is public or shared with it")
	flags.BoolVar(&f.options.StripIDs, "strip-ids", false, "leave out the ids that platforms gave you")
	flags.BoolVar(&f.encrypt, "encrypt", false, "encrypt the file with a passphrase (age format)")
	flags.StringVar(&f.outPassphraseFile, "out-passphrase-file", "", `file whose first line is the passphrase of the encrypted file; "-" is standard input`)
	_ = cmd.MarkFlagRequired("out")
	return cmd
}

func (f *exportFlags) read(d *door) error {
	for _, part := range f.include {
		if !slices.Contains([]string{"conversations", "attachments"}, part) {
			return fault.New(fault.Invalid, "bad-include", "--include takes conversations and attachments, not {value}.").With("value", part)
		}
	}
	f.options.IncludeConversations = slices.Contains(f.include, "conversations")
	f.options.IncludeAttachments = slices.Contains(f.include, "attachments")
	for _, k := range f.kinds {
		t, err := oneOf("type", memory.Type(k), memory.Types())
		if err != nil {
			return err
		}
		f.options.Types = append(f.options.Types, t)
	}
	for _, s := range f.statuses {
		v, err := oneOf("status", memory.Status(s), memory.Statuses())
		if err != nil {
			return err
		}
		f.options.Statuses = append(f.options.Statuses, v)
	}
	return f.readPassphrase(d)
}

func (f *exportFlags) readPassphrase(d *door) (err error) {
	switch {
	case f.outPassphraseFile != "":
		f.options.Passphrase, err = d.lineOf(f.outPassphraseFile)
	case f.encrypt:
		if !d.hasTerminal() {
			return fault.New(fault.Invalid, "no-out-passphrase", "There is no terminal to ask for the passphrase of the exported file.").
				Advise("Give it with --out-passphrase-file.")
		}
		f.options.Passphrase, err = d.askTerminal("Passphrase for the exported file: ", true)
	}
	return err
}

func (d *door) sayExport(r core.ExportResult) {
	d.say("Wrote %s: %s, %s bytes.", printable(r.Path), count(r.Memories, "memory", "memories"), grouped(int(r.Bytes)))
	for reason, n := range r.Excluded {
		d.say("Left out: %s (%s).", count(n, "memory", "memories"), reason)
	}
	d.say("Checksum %s", r.Checksum)
	if r.Signed {
		d.say("Signed as %s, fingerprint %s (%s).", r.DID, r.Fingerprint, strings.Join(r.Words, " "))
		d.say("The signature covers %s; not %s.", strings.Join(r.Covers, ", "), strings.Join(r.NotCovered, ", "))
	}
	if !r.Encrypted {
		d.say("Anyone who has this file can read it.")
	}
}
