package cli

import (
	"io"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

// maxTyped bounds the text of one memory given on standard input, in bytes.
const maxTyped = 1 << 20

func (d *door) add() *cobra.Command {
	var kind, custom, category string
	var tags []string
	var importance float64
	cmd := &cobra.Command{
		Use:   "add [--type T] TEXT|-",
		Short: "Add a memory by hand",
		Long:  "Add a memory by hand. Without --type it is a fact; --category names the type as the Personal Memory Specification does. Where an active memory says the same already,\nnothing is added and that one is given.",
		Args:  exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if custom != "" && !cmd.Flags().Changed("type") {
				kind = string(memory.Custom)
			}
			t, err := newType(kind)
			if err != nil {
				return err
			}
			var of core.Category
			if category != "" {
				c, err := oneOf("category", core.Category(category), core.Categories())
				if err != nil {
					return err
				}
				of = c
			}
			text, err := d.typed(args[0])
			if err != nil {
				return err
			}
			svc, err := d.unlocked(cmd.Context())
			if err != nil {
				return err
			}
			known, err := svc.MemorySaying(cmd.Context(), text)
			if err != nil {
				return err
			}
			r, err := svc.AddMemory(cmd.Context(), core.NewMemory{Type: t, CustomType: custom, Category: of, Content: text, Tags: tags, Importance: ifGiven(cmd.Flags().Changed("importance"), importance)})
			return d.answerUnless(err, r, func() {
				if known != nil {
					d.say("There is such a memory already: %s. Nothing was added.", r.ID)
					return
				}
				d.say("Added %s.", r.ID)
			})
		},
	}
	cmd.Flags().StringVar(&kind, "type", "fact", "memory type: one of those of Portable AI Memory, or custom")
	cmd.Flags().StringVar(&custom, "custom-type", "", "name of a type of your own, in place of --type")
	cmd.Flags().StringVar(&category, "category", "", "instead of a type, one of "+categoryWords)
	cmd.MarkFlagsMutuallyExclusive("category", "type")
	cmd.MarkFlagsMutuallyExclusive("category", "custom-type")
	cmd.Flags().Float64Var(&importance, "importance", 0, "how important it is, from 0 to 1")
	cmd.Flags().StringSliceVar(&tags, "tag", nil, "tags")
	return cmd
}

// typed is the argument itself, or standard input where it is "-".
func (d *door) typed(arg string) (string, error) {
	if arg != "-" {
		return arg, nil
	}
	in, err := d.stdin()
	if err != nil {
		return "", err
	}
	data, err := io.ReadAll(io.LimitReader(in, maxTyped+1))
	if err != nil {
		return "", fault.New(fault.Invalid, "stdin-unreadable", "Standard input could not be read.").Because(err)
	}
	if len(data) > maxTyped {
		return "", fault.New(fault.TooLarge, "typed-text-too-long", "The text is over {limit} bytes.").With("limit", maxTyped)
	}
	d.input = data
	return string(data), nil
}
