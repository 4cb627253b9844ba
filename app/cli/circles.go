package cli

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"keepsake/backend/core"
	"keepsake/backend/memory"
)

func (d *door) circles() *cobra.Command {
	cmd := parent("circles", "Say who may be given which memories", d.circlesList(), d.circlesShow(), d.circlesMake(), d.circlesEdit(),
		d.circlesDrop(), d.circlesMembers(true), d.circlesMembers(false), d.circlesGive(), d.circlesTake(), d.circlesFill(), d.circlesConfirm(), d.circlesHistory(), d.circlesOf())
	cmd.Aliases = []string{"grants"}
	return cmd
}

func (d *door) circlesList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the circles, and how many memories are in each",
		Args:  exactly(0),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, _ []string) error {
			all, err := svc.Circles(ctx)
			return d.answerUnless(err, all, func() {
				for _, c := range all.Circles {
					d.say("%s (%s): %s", oneLine(c.Name, 80), oneLine(c.Entity, 80), count(c.Members, "memory", "memories"))
					d.sayIf(c.Write+c.Delete > 0, "  It may change %s, and delete %s.", count(c.Write, "memory", "memories"), count(c.Delete, "memory", "memories"))
					d.sayIf(c.Unconfirmed > 0, "  %s put into it by a document of somebody else, and not given to it before you add them.", count(c.Unconfirmed, "memory", "memories"))
				}
				d.sayIf(len(all.Circles) == 0 && all.Public == 0, "No memory is shared with anybody.")
				d.say("Nobody: %s that never leave.", count(all.Nobody, "memory", "memories"))
				d.sayIf(all.Public > 0, "Everybody: %s, in every circle.", count(all.Public, "memory", "memories"))
			})
		}),
	}
}

func (d *door) circlesShow() *cobra.Command {
	return &cobra.Command{
		Use:   "show CIRCLE",
		Short: "Show what of a circle leaves now, and what stays",
		Args:  exactly(1),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, args []string) error {
			if err := svc.MakeVectors(ctx, 0); err != nil && !core.IsMeaningUnavailable(err) {
				return err
			}
			p, err := svc.PreviewCircle(ctx, args[0])
			return d.answerUnless(err, p, func() { d.sayCircle(p) })
		}),
	}
}

func (d *door) sayCircle(p core.CirclePreview) {
	d.say("%s (%s): %s of %s leave.", oneLine(p.Circle.Name, 80), oneLine(p.Circle.Entity, 80), grouped(p.Leaves), count(p.Members, "memory", "memories"))
	for _, reason := range slices.Sorted(maps.Keys(p.Stays)) {
		d.say("Stay: %s (%s).", count(p.Stays[reason], "memory", "memories"), reason)
	}
	for _, t := range core.SensitiveTopics() {
		d.sayIf(p.ByTopic[t] > 0, "  about %s: %d", t, p.ByTopic[t])
	}
	d.sayIf(p.ByWords > 0, "%s", onlyWords(p.ByWords))
	d.sayIf(p.Waiting > 0, "%s not in it; circles fill adds what fits.", count(p.Waiting, "memory fits and is", "memories fit and are"))
}

// circleFlags are what is set of a circle.
type circleFlags struct {
	kinds, tags, domains, topics, without []string
}

func (f *circleFlags) register(flags *pflag.FlagSet) {
	flags.StringSliceVar(&f.kinds, "type", nil, "filled with memories of a type: "+listed(memory.Types()))
	flags.StringSliceVar(&f.tags, "tag", nil, "filled with memories that have a tag")
	flags.StringSliceVar(&f.domains, "domain", nil, "filled with memories of a domain")
	flags.StringSliceVar(&f.topics, "topic", nil, "filled with memories about a sensitive topic: "+listed(core.SensitiveTopics()))
	flags.StringSliceVar(&f.without, "without", nil, "never gives memories about a sensitive topic, but for those added by hand")
}

func (f *circleFlags) rule() core.CircleRule {
	return core.CircleRule{Types: typed[memory.Type](f.kinds), Tags: f.tags, Domains: f.domains, Topics: typed[core.SensitiveTopic](f.topics)}
}

func typed[T ~string](words []string) []T {
	all := make([]T, len(words))
	for i, word := range words {
		all[i] = T(word)
	}
	return all
}

func (d *door) circlesMake() *cobra.Command {
	var f circleFlags
	cmd := &cobra.Command{
		Use:   "make NAME",
		Short: "Make a circle; circles fill puts in what it is filled with",
		Args:  exactly(1),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, args []string) error {
			c, err := svc.MakeCircle(ctx, core.Circle{Name: args[0], Rule: f.rule(), Without: typed[core.SensitiveTopic](f.without)})
			return d.answerUnless(err, c, func() { d.say("Made the circle %s (%s).", oneLine(c.Name, 80), c.Entity) })
		}),
	}
	f.register(cmd.Flags())
	return cmd
}

func (d *door) circlesEdit() *cobra.Command {
	var f circleFlags
	var name string
	cmd := &cobra.Command{
		Use:   "edit CIRCLE",
		Short: "Rename a circle, or change what it is filled with and what it never gives",
		Args:  exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var edit core.CircleEdit
			given := cmd.Flags().Changed
			if given("name") {
				edit.Name = &name
			}
			if given("type") || given("tag") || given("domain") || given("topic") {
				edit.Rule = new(f.rule())
			}
			if given("without") {
				edit.Without = new(typed[core.SensitiveTopic](slices.DeleteFunc(f.without, func(s string) bool { return s == "" })))
			}
			svc, err := d.unlocked(cmd.Context())
			if err != nil {
				return err
			}
			c, err := svc.EditCircle(cmd.Context(), args[0], edit)
			return d.answerUnless(err, c, func() { d.say("Changed the circle %s (%s).", oneLine(c.Name, 80), oneLine(c.Entity, 80)) })
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "another name")
	f.register(cmd.Flags())
	return cmd
}

func (d *door) circlesDrop() *cobra.Command {
	return &cobra.Command{
		Use:   "delete CIRCLE",
		Short: "Delete a circle; its memories stay, and are in it no longer",
		Args:  exactly(1),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, args []string) error {
			done, err := svc.DropCircle(ctx, args[0])
			return d.answerUnless(err, done, func() {
				d.say("Deleted; %s taken out.", count(done.Changed, "memory was", "memories were"))
			})
		}),
	}
}

// putIn is what is said of memories that were put into a circle.
const putIn = "put into it"

// answerMembers says how many memories were put into a circle, or taken out of it.
func (d *door) answerMembers(err error, done core.ManyChanged, said string) error {
	return d.answerUnless(err, done, func() { d.say("%s %s.", count(done.Changed, "memory was", "memories were"), said) })
}

func (d *door) circlesMembers(in bool) *cobra.Command {
	use, short, said := "add CIRCLE ID…", "Put memories into a circle", putIn
	if !in {
		use, short, said = "remove CIRCLE ID…", "Take memories out of a circle; filling it leaves them out", "taken out of it"
	}
	return &cobra.Command{
		Use:   use,
		Short: short,
		Args:  cobra.MinimumNArgs(2),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, args []string) error {
			done, err := svc.JoinCircle(ctx, args[0], args[1:], in)
			return d.answerMembers(err, done, said)
		}),
	}
}

func (d *door) circlesFill() *cobra.Command {
	return &cobra.Command{
		Use:   "fill CIRCLE",
		Short: "Put in the memories that fit what the circle is filled with",
		Long:  strings.TrimSpace("Those that may leave, are about nothing that it never gives, and were not taken out of it before. circles show says\nhow many there are."),
		Args:  exactly(1),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, args []string) error {
			if err := svc.MakeVectors(ctx, 0); err != nil && !core.IsMeaningUnavailable(err) {
				return err
			}
			done, err := svc.FillCircle(ctx, args[0])
			return d.answerMembers(err, done, putIn)
		}),
	}
}

func (d *door) circlesConfirm() *cobra.Command {
	return &cobra.Command{
		Use:   "confirm CIRCLE",
		Short: "Put in the memories that a document of somebody else put into the circle",
		Args:  exactly(1),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, args []string) error {
			done, err := svc.ConfirmCircle(ctx, args[0])
			return d.answerMembers(err, done, putIn)
		}),
	}
}

func (d *door) circlesHistory() *cobra.Command {
	var memoryID string
	cmd := &cobra.Command{
		Use:   "history [CIRCLE]",
		Short: "List what was given, newest first: to a circle, or to anybody",
		Long:  "The exports and hand-offs of the last thousand that the vault keeps a record of. Those of before circles do not say which\nmemories they had, so --memory leaves them out; those of a frozen vault are in the log alone.",
		Args:  cobra.MaximumNArgs(1),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, args []string) error {
			q := core.GivenQuery{Memory: memoryID}
			if len(args) > 0 {
				q.Circle = args[0]
			}
			all, err := svc.Given(ctx, q)
			return d.answerUnless(err, listOf(all, len(all)), func() {
				for _, x := range all {
					to := "yourself"
					if x.Selection.For != "" {
						to = oneLine(x.Selection.For, 80)
					}
					d.say("%s  to %s  %s  %s  %s", x.ExportDate, to, x.Format, oneLine(x.File, 80), count(x.Memories, "memory", "memories"))
				}
				d.say("%s", count(len(all), "time", "times"))
			})
		}),
	}
	cmd.Flags().StringVar(&memoryID, "memory", "", "only what had this memory in it")
	return cmd
}

func (d *door) circlesOf() *cobra.Command {
	return &cobra.Command{
		Use:   "of ID",
		Short: "List the circles that a memory is in, and why it does not leave for one",
		Args:  exactly(1),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, args []string) error {
			all, err := svc.CirclesOf(ctx, args[0])
			return d.answerUnless(err, listOf(all, len(all)), func() {
				for _, m := range all {
					why := "leaves"
					if m.Stays != "" {
						why = "stays (" + m.Stays + ")"
					}
					d.say("%s (%s): %s", oneLine(m.Name, 80), oneLine(m.Entity, 80), why)
				}
				d.sayIf(len(all) == 0, "In no circle.")
			})
		}),
	}
}
