package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"keepsake/backend/core"
	"keepsake/backend/memory"
)

// editFlags are the values of `edit`; only those that were given change anything.
type editFlags struct {
	content, kind, custom, category, summary, domain, language, from, until, visibility string
	tags                                                                                []string
	exportable                                                                          bool
	importance                                                                          float64
}

func (d *door) edit() *cobra.Command {
	var e editFlags
	cmd := &cobra.Command{
		Use:         "edit ID",
		Short:       "Change a memory",
		Annotations: map[string]string{emptyClears: "true"},
		Args:        exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if all, given := names(cmd.LocalNonPersistentFlags()); !given {
				return usageError{fmt.Errorf("say what to change: --%s", strings.Join(all, ", --"))}
			}
			change, err := e.change(d, cmd.Flags().Changed)
			if err != nil {
				return err
			}
			svc, err := d.unlocked(cmd.Context())
			if err != nil {
				return err
			}
			r, err := svc.EditMemory(cmd.Context(), args[0], change)
			return d.answerUnless(err, r.Record, func() {
				if r.Changed {
					d.say("Changed %s.", r.ID)
				} else {
					d.say("%s is like that already; nothing was changed.", r.ID)
				}
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&e.content, "content", "", `new text ("-" reads standard input)`)
	flags.StringVar(&e.kind, "type", "", "new type")
	flags.StringVar(&e.custom, "custom-type", "", "name of the type where --type is custom")
	flags.StringVar(&e.category, "category", "", "instead of a type, one of "+categoryWords)
	cmd.MarkFlagsMutuallyExclusive("category", "type")
	cmd.MarkFlagsMutuallyExclusive("category", "custom-type")
	flags.StringSliceVar(&e.tags, "tags", nil, "new tags, in place of the old")
	flags.StringVar(&e.summary, "summary", "", "short summary")
	flags.StringVar(&e.language, "language", "", `language of the text, like en or pt-BR ("" clears); it is then no longer detected`)
	flags.StringVar(&e.domain, "domain", "", `subject, as in metadata.domain ("" clears)`)
	flags.Float64Var(&e.importance, "importance", 0, "how important it is, from 0 to 1 (-1 clears)")
	flags.StringVar(&e.from, "valid-from", "", `valid from this day or time ("" clears)`)
	flags.StringVar(&e.until, "valid-until", "", `valid until this day or time ("" clears)`)
	flags.StringVar(&e.visibility, "visibility", "", "private, shared or public")
	flags.BoolVar(&e.exportable, "exportable", true, "whether it may leave in an export")
	return cmd
}

func (e *editFlags) change(d *door, given func(string) bool) (c core.MemoryEdit, err error) {
	if given("content") {
		text, err := d.typed(e.content)
		if err != nil {
			return c, err
		}
		c.Content = &text
	}
	if e.custom != "" && !given("type") {
		custom := memory.Custom
		c.Type = &custom
	}
	if given("type") {
		t, err := newType(e.kind)
		if err != nil {
			return c, err
		}
		c.Type = &t
	}
	if c.Category, err = oneOfGiven(given("category"), "category", e.category, core.Categories()); err != nil {
		return c, err
	}
	visibilities := []memory.Visibility{memory.Private, memory.Shared, memory.Public}
	if c.Visibility, err = oneOfGiven(given("visibility"), "visibility", e.visibility, visibilities); err != nil {
		return c, err
	}
	c.CustomType = ifGiven(given("custom-type"), e.custom)
	c.Summary = ifGiven(given("summary"), e.summary)
	c.Domain = ifGiven(given("domain"), e.domain)
	c.Language = ifGiven(given("language"), e.language)
	c.Tags = ifGiven(given("tags"), e.tags)
	c.Importance = ifGiven(given("importance"), e.importance)
	c.Exportable = ifGiven(given("exportable"), e.exportable)
	return c, e.validity(&c, given)
}

func (e *editFlags) validity(c *core.MemoryEdit, given func(string) bool) error {
	for _, bound := range []struct {
		flag, value string
		to          **time.Time
	}{{"valid-from", e.from, &c.ValidFrom}, {"valid-until", e.until, &c.ValidUntil}} {
		if !given(bound.flag) {
			continue
		}
		t, err := parseDay(bound.flag, bound.value)
		if err != nil {
			return err
		}
		*bound.to = &t
	}
	return nil
}

// names lists the flags of a command but help, and says whether one was given.
func names(flags *pflag.FlagSet) (all []string, given bool) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" {
			all, given = append(all, f.Name), given || f.Changed
		}
	})
	return all, given
}

func ifGiven[T any](given bool, value T) *T {
	if !given {
		return nil
	}
	return &value
}
