package cli

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
	"keepsake/backend/product"
)

// exportForm is the command of one form that people read.
func (d *door) exportForm(form core.Form, out, short string) *cobra.Command {
	f := &exportFlags{}
	cmd := &cobra.Command{Use: string(form) + " -o " + out, Short: short, Args: exactly(0)}
	cmd.Flags().StringSliceVar(&f.include, "include", nil, "conversations")
	return d.withForm(cmd, f, out, func() (core.FormOptions, error) {
		return core.FormOptions{ExportOptions: f.options, Form: form}, nil
	})
}

// exportPersonal is the export of the Personal Memory Specification.
func (d *door) exportPersonal() *cobra.Command {
	f := &exportFlags{}
	var format string
	var categories []string
	var bare bool
	cmd := &cobra.Command{
		Use:   "personal -o FILE",
		Short: "Write the export of the Personal Memory Specification",
		Long:  "Writes everything by category: conversation, work_pattern, preference, learned_context. Conversations come along unless it is made for somebody else.",
		Args:  exactly(0),
	}
	flags := cmd.Flags()
	flags.StringVar(&format, "format", "json", "json or markdown; where it is not given the name of the file says it")
	flags.StringSliceVar(&categories, "category", nil, "only these: "+categoryWords)
	flags.BoolVar(&bare, "no-metadata", false, "leave out the metadata of each record")
	return d.withForm(cmd, f, "FILE", func() (core.FormOptions, error) {
		o := core.FormOptions{ExportOptions: f.options, NoMetadata: bare}
		if !flags.Changed("format") {
			format = formatByName(f.out, map[string]string{".md": "markdown"})
		}
		if _, err := oneOf("format", format, []string{"json", "markdown"}); err != nil {
			return o, err
		}
		if o.Form = core.Personal; format == "markdown" {
			o.Form = core.PersonalMarkdown
		}
		var err error
		if o.Categories, err = eachOneOf("category", categories, core.Categories()); err != nil {
			return o, err
		}
		o.IncludeConversations = o.For == "" && (len(categories) == 0 || slices.Contains(categories, "conversation"))
		return o, nil
	})
}

// formatByName is the format that the end of a file's name stands for, or JSON.
func formatByName(out string, formats map[string]string) string {
	return cmp.Or(formats[strings.ToLower(filepath.Ext(out))], "json")
}

// categoryWords are the categories of the Personal Memory Specification.
const categoryWords = "conversation, work_pattern, preference, learned_context"

// withForm gives a command the flags and the work that all forms share.
func (d *door) withForm(cmd *cobra.Command, f *exportFlags, out string, options func() (core.FormOptions, error)) *cobra.Command {
	flags := cmd.Flags()
	flags.StringVarP(&f.out, "out", "o", "", "what to write: "+out+"; "+toStdout)
	f.addSelection(flags)
	f.addEncryption(flags, "age format")
	f.redaction.add(flags)
	language := flags.String("language", "en", "of headings: en or pt-BR")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := f.read(); err != nil {
			return err
		}
		o, err := options()
		if err != nil {
			return err
		}
		if o.Language, err = oneOf("language", *language, []string{"en", "pt-BR"}); err != nil {
			return err
		}
		svc, err := f.open(cmd.Context(), d, formName(o))
		if err != nil {
			return err
		}
		defer clear(f.options.Passphrase)
		o.Passphrase = f.options.Passphrase
		if f.dryRun {
			p, err := svc.PreviewForm(cmd.Context(), o)
			if err != nil {
				return err
			}
			found, err := svc.ExportFindings(cmd.Context(), o, core.FindingQuery{})
			return d.sayPreview(err, p, found)
		}
		result, err := svc.ExportForm(cmd.Context(), f.out, o)
		return d.answerUnless(err, result, func() { d.sayForm(result) })
	}
	return cmd
}

// formName is what a form on standard output is called: its end says whether it is one
// file or many.
func formName(o core.FormOptions) string {
	switch {
	case o.Form == core.HTML:
		return product.Program + ".html"
	case o.Form == core.Personal:
		return product.Program + ".personal.json"
	case o.Form == core.PersonalMarkdown:
		return product.Program + ".personal.md"
	case o.Form == core.CSV && !o.IncludeConversations:
		return product.Program + ".csv"
	}
	return product.Program + "-" + string(o.Form) + ".zip"
}

func (d *door) sayForm(r core.FormResult) {
	d.say("Wrote %s: %s, %s, %s, %s bytes.", d.written(r.Path), count(r.Memories, "memory", "memories"), count(r.Relations, "relation", "relations"),
		count(r.Conversations, "conversation", "conversations"), grouped(int(r.Bytes)))
	d.sayExcluded(r.Excluded)
	d.sayHidden(r.Hidden)
	d.say("Checksum %s", r.Checksum)
	d.sayIf(!r.Encrypted, plainExport)
}
