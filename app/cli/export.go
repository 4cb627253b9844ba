package cli

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
	"keepsake/backend/product"
)

// toStdout ends the help of every -o that takes standard output.
const toStdout = `"-" is standard output`

// plainExport is said of an export that is not encrypted.
const plainExport = "This is a plain export: anyone who has it can read it. --encrypt protects it with a passphrase."

// exportFlags are the flags of `export pam`.
type exportFlags struct {
	out               string
	include           []string
	kinds, statuses   []string
	encrypt           bool
	outPassphraseFile string
	dryRun            bool
	redaction         redactionFlags
	options           core.ExportOptions
}

func (d *door) export() *cobra.Command {
	return parent("export", "Give memories back", d.exportPAM(), d.exportMIF(), d.exportPersonal(),
		d.exportForm(core.Markdown, "FILE.zip|DIR", "Write a Markdown note for each memory and conversation"),
		d.exportForm(core.Obsidian, "FILE.zip|DIR", "Write notes as a folder of Obsidian"),
		d.exportForm(core.HTML, "FILE.html", "Write one page for a browser, without scripts"),
		d.exportForm(core.CSV, "FILE.csv|FILE.zip|DIR", "Write tables for a spreadsheet"))
}

func (d *door) exportPAM() *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use:   "pam -o FILE.json|FILE.zip|DIR",
		Short: "Write a signed Portable AI Memory export",
		Args:  exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.read(); err != nil {
				return err
			}
			svc, err := f.open(cmd.Context(), d, f.pamName())
			if err != nil {
				return err
			}
			defer clear(f.options.Passphrase)
			if f.dryRun {
				p, err := svc.PreviewExport(cmd.Context(), f.options)
				if err != nil {
					return err
				}
				found, err := svc.ExportFindings(cmd.Context(), f.options, core.FindingQuery{})
				return d.sayPreview(err, p, found)
			}
			result, err := svc.ExportPAM(cmd.Context(), f.out, f.options)
			return d.answerUnless(err, result, func() { d.sayExport(result) })
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.out, "out", "o", "", "file (.json, .pam, .zip) or folder (any other name) to write; "+toStdout)
	flags.BoolVar(&f.options.Unsigned, "unsigned", false, "do not sign")
	flags.StringSliceVar(&f.include, "include", nil, "conversations, attachments, embeddings (those that documents gave)")
	flags.BoolVar(&f.options.OwnEmbeddings, "embeddings", false, "the embeddings that documents gave, and for all other memories those of this program")
	flags.BoolVar(&f.options.WithoutTitles, "without-titles", false, "list the conversations without their titles and tags")
	flags.BoolVar(&f.options.Incremental, "incremental", false, "only what is new or changed since an earlier full export")
	flags.StringVar(&f.options.Base, "base", "", "id of that export (with --incremental); the newest of the same selection where none is named")
	f.addSelection(flags)
	f.addEncryption(flags, "age format")
	f.redaction.add(flags)
	return cmd
}

// addSelection adds what says which memories leave, and for whom.
func (f *exportFlags) addSelection(flags *pflag.FlagSet) {
	flags.StringSliceVar(&f.statuses, "status", nil, "only memories in these states")
	flags.StringSliceVar(&f.kinds, "type", nil, "only memories of these types")
	flags.StringSliceVar(&f.options.Tags, "tag", nil, "only memories with one of these tags")
	flags.StringSliceVar(&f.options.Platforms, "platform", nil, "only memories from these platforms")
	flags.StringSliceVar(&f.options.Conversations, "conversation", nil, "only these conversations, by their ids, and memories that they stated")
	flags.StringVar(&f.options.For, "for", "", "make it for this circle: only what leaves for it, as circles show says")
	flags.BoolVar(&f.options.StripIDs, "strip-ids", false, "leave out the ids that platforms gave you")
	flags.BoolVar(&f.dryRun, "dry-run", false, "only say what would leave and what would stay")
}

func (f *exportFlags) addEncryption(flags *pflag.FlagSet, how string) {
	flags.BoolVar(&f.encrypt, "encrypt", false, "encrypt the file with a passphrase ("+how+")")
	flags.StringVar(&f.outPassphraseFile, "out-passphrase-file", "", `file whose first line is the passphrase of the encrypted file; "-" is standard input`)
}

func (f *exportFlags) read() (err error) {
	if f.out == "" && !f.dryRun {
		return usageError{errors.New("name the file to write with -o")}
	}
	for _, part := range f.include {
		if !slices.Contains([]string{"conversations", "attachments", "embeddings"}, part) {
			return fault.New(fault.Invalid, "bad-include", "--include takes conversations, attachments and embeddings, not {value}.").With("value", part)
		}
	}
	f.options.IncludeConversations = slices.Contains(f.include, "conversations")
	f.options.IncludeAttachments = slices.Contains(f.include, "attachments")
	f.options.IncludeEmbeddings = slices.Contains(f.include, "embeddings")
	if f.options.Types, err = eachOneOf("type", f.kinds, memory.Types()); err != nil {
		return err
	}
	if f.options.Statuses, err = eachOneOf("status", f.statuses, memory.Statuses()); err != nil {
		return err
	}
	f.options.RedactionOptions, err = f.redaction.options()
	return err
}

// open unlocks the vault, and only then reads the passphrase of the file to write, so
// that none is asked for when unlocking fails. name is the file's name when it goes to
// standard output.
func (f *exportFlags) open(ctx context.Context, d *door, name string) (_ *core.Service, err error) {
	if f.dryRun {
		return d.unlocked(ctx)
	}
	if err := f.canAsk(d); err != nil {
		return nil, err
	}
	if f.sealed() {
		name += ".age"
	}
	if f.out, err = d.destination(f.out, name); err != nil {
		return nil, err
	}
	if err := core.MayWrite(f.out); err != nil {
		return nil, err
	}
	svc, err := d.unlocked(ctx)
	if err != nil {
		return nil, err
	}
	return svc, f.readPassphrase(d)
}

// sealed reports that the file to write is encrypted.
func (f *exportFlags) sealed() bool { return f.encrypt || f.outPassphraseFile != "" }

// pamName is what an export to standard output is called: its end says what it is.
func (f *exportFlags) pamName() string {
	if len(f.include) > 0 {
		return product.Program + ".pam.zip"
	}
	return product.Program + ".pam.json"
}

// asks reports that the passphrase of the file to write is typed.
func (f *exportFlags) asks() bool { return f.encrypt && f.outPassphraseFile == "" }

func (f *exportFlags) canAsk(d *door) error {
	if f.asks() && !d.hasTerminal() {
		return fault.New(fault.Invalid, "no-out-passphrase", "There is no terminal to ask for the passphrase of the exported file.").
			Advise("Give it with --out-passphrase-file.")
	}
	return nil
}

func (f *exportFlags) readPassphrase(d *door) (err error) {
	switch {
	case f.asks():
		f.options.Passphrase, err = d.askTerminal("Passphrase for the exported file: ", true)
	case f.outPassphraseFile != "":
		f.options.Passphrase, err = d.lineOf(f.outPassphraseFile)
	}
	return err
}

// sayPreview tells what would leave, with every finding, unless these came back as err.
func (d *door) sayPreview(err error, p core.ExportPreview, found core.Findings) error {
	type preview struct {
		core.ExportPreview
		Found []core.Found `json:"found"`
	}
	return d.answerUnless(err, preview{p, found.Items}, func() {
		d.say("Would write %s, %s and %s.", count(p.Memories, "memory", "memories"),
			count(p.Relations, "relation", "relations"), count(p.Conversations, "conversation", "conversations"))
		d.sayTitles(p.Titles)
		d.sayExcluded(p.Excluded)
		d.sayFindings(p.Findings, p.Hidden, p.FindingsByKind)
		d.say("%s", sayTopics(p.Sensitive.Summary))
		d.sayIf(p.Unread > 0, "%s not looked through; with --redact they are.", count(p.Unread, "conversation was", "conversations were"))
	})
}

// sayTitles tells of the titles in a list of conversations that do not leave themselves.
func (d *door) sayTitles(n int) {
	d.sayIf(n > 0, "Conversations are listed: %s; export pam --without-titles leaves them out.", count(n, "title", "titles"))
}

func (d *door) sayExcluded(excluded map[string]int) {
	for _, reason := range slices.Sorted(maps.Keys(excluded)) {
		d.say("Left out: %s (%s).", count(excluded[reason], "memory", "memories"), reason)
	}
}

func (d *door) sayExport(r core.ExportResult) {
	d.say("Wrote %s: %s, %s bytes.", d.written(r.Path), count(r.Memories, "memory", "memories"), grouped(int(r.Bytes)))
	d.sayIf(r.BaseExportID != "", "Incremental: what is new or changed since %s, on top of %s.", r.Since, r.BaseExportID)
	d.sayTitles(r.Titles)
	d.sayExcluded(r.Excluded)
	d.sayHidden(r.Hidden)
	d.say("Checksum %s", r.Checksum)
	if r.Signed {
		d.say("Signed as %s, fingerprint %s (%s).", r.DID, r.Fingerprint, strings.Join(r.Words, " "))
		if len(r.NotCovered) == 0 {
			d.say("The signature covers the memories; a signed digest covers every file of the bundle.")
		} else {
			d.say("The signature covers %s; not %s.", strings.Join(r.Covers, ", "), strings.Join(r.NotCovered, ", "))
		}
	} else {
		d.say("Not signed: whoever has the file can change it.")
	}
	d.sayIf(!r.Encrypted, plainExport)
}
