package cli

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

type handoffFlags struct {
	out, part string
	budget    int
	dryRun    bool
	headings  string
	person    string
	without   []string
	edits     []string // ID=TEXT
	redaction redactionFlags
	circle    string
	keep      string
}

func (d *door) handoff() *cobra.Command {
	var f handoffFlags
	cmd := &cobra.Command{
		Use:   "handoff TARGET [-o FILE]",
		Short: "Write what another assistant is to know: chatgpt, claude, gemini, system-prompt, claude-md, agents-md",
		Args:  exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := f.options(cmd.Flags().Changed("budget"))
			if err != nil {
				return err
			}
			if f.keep != "" {
				return d.keep(cmd.Context(), args[0], f.keep, o)
			}
			svc, err := d.unlocked(cmd.Context())
			if err != nil {
				return err
			}
			give := svc.HandOff
			if f.dryRun {
				give = svc.PreviewHandoff
			}
			h, err := give(cmd.Context(), args[0], o)
			return d.answerUnless(err, h, func() { d.sayHandoff(h, f) })
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.out, "out", "o", "", "file to write; without it, or for \"-\", the text is printed")
	flags.IntVar(&f.budget, "budget", 0, "how long each part may be, in UTF-16 units as web pages count, instead of what is known of the target")
	flags.StringVar(&f.part, "part", "", "only this part, such as custom-instructions or import")
	flags.StringVar(&f.circle, "for", "", "only what leaves for this circle")
	flags.StringVar(&f.keep, "keep", "", "file in which the text is kept up to date, between two marker lines; with --for")
	flags.BoolVar(&f.dryRun, "dry-run", false, "only say what it would be; the log notes nothing")
	flags.StringVar(&f.headings, "headings", "en", "language of the headings: "+strings.Join(core.HandoffLanguages(), ", ")+"; memories stay as they are")
	flags.StringVar(&f.person, "person", "", "first or third: how memories speak of you; without it as each part wants. What no rule is sure of stays as it is")
	flags.StringArrayVar(&f.without, "without", nil, "ID: leave this memory out, this time only")
	flags.StringArrayVar(&f.edits, "edit", nil, "ID=TEXT: say this in place of a memory, this time only")
	f.redaction.add(flags)
	cmd.MarkFlagsMutuallyExclusive("keep", "out")
	cmd.MarkFlagsMutuallyExclusive("keep", "dry-run")
	cmd.AddCommand(d.handoffTargets(), d.handoffRules())
	return cmd
}

func (f *handoffFlags) options(budget bool) (o core.HandoffOptions, err error) {
	if f.dryRun && f.out != "" {
		return o, usageError{errors.New("--dry-run writes nothing, so -o has no sense with it")}
	}
	switch {
	case f.keep != "" && f.circle == "":
		return o, usageError{errors.New("--keep goes with --for, which names the circle")}
	case f.keep != "" && len(f.without)+len(f.edits) > 0:
		return o, usageError{errors.New("--without and --edit are for one time only, so they have no sense with --keep")}
	}
	if f.out == stdoutName { // where the text goes anyway
		f.out = ""
	}
	o = core.HandoffOptions{Part: f.part, Dest: f.out, For: f.circle, Without: f.without, Edits: map[string]string{}}
	if o.Language, err = oneOf("headings", f.headings, core.HandoffLanguages()); err != nil {
		return o, err
	}
	if f.person != "" {
		if o.Person, err = oneOf("person", f.person, core.HandoffPersons()); err != nil {
			return o, err
		}
	}
	for _, e := range f.edits {
		id, text, ok := strings.Cut(e, "=")
		if !ok {
			return o, fault.New(fault.Invalid, "bad-edit", "--edit takes ID=TEXT, not {value}.").With("value", e)
		}
		o.Edits[id] = text
	}
	if budget {
		o.Budget = &f.budget
	}
	o.RedactionOptions, err = f.redaction.options()
	return o, err
}

// sayHandoff prints the text alone where it goes to standard output; all that is
// about it goes beside.
func (d *door) sayHandoff(h core.Handoff, f handoffFlags) {
	if f.out == "" {
		d.sayText(h.Text())
	} else {
		d.note("Wrote %s.", h.File)
	}
	for _, p := range h.Parts {
		d.note("%s: %s in %s characters (%s UTF-16 units) of %s (%s); left out %s.", p.Name, count(len(p.Taken), "memory", "memories"),
			grouped(p.CodePoints), grouped(p.UTF16), grouped(p.Limit), whoSays(p.HandoffLimit), grouped(p.LeftOutTotal))
		for _, l := range p.Lines {
			if l.Shortened && l.Ticked {
				d.note("  shortened to its first sentences %s: %s", l.ID, oneLine(l.Text, 60))
			}
		}
		for _, x := range p.LeftOut {
			d.note("  %s %s: %s", x.Reason, x.ID, oneLine(x.Content, 60))
		}
	}
	for _, reason := range sorted(h.Excluded) {
		d.note("Not offered: %s (%s).", count(h.Excluded[reason], "memory", "memories"), reason)
	}
	for _, l := range h.OtherLanguages {
		d.note("In another language than the headings (%s): %s.", l.Language, count(l.Count, "memory", "memories"))
	}
	d.note("%s", foundPlaces(h.Findings.Total, h.Findings.Hidden))
	d.note("%s", sayTopics(h.Sensitive.Summary))
	if said := trainingNote[h.Training]; said != "" {
		d.note("%s", said)
	}
}

var trainingNote = map[string]string{
	"trains":  "Mind: this assistant says that it trains on what is imported.",
	"setting": "Mind: whether this assistant trains on it depends on a setting of the account there.",
}

func sorted(counts map[string]int) []string { return slices.Sorted(maps.Keys(counts)) }

func (d *door) handoffTargets() *cobra.Command {
	return &cobra.Command{
		Use:   "targets",
		Short: "List the targets with their limits and rules",
		Args:  exactly(0),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, _ []string) error {
			all, err := svc.Handoffs(ctx)
			return d.answerUnless(err, listOf(all, len(all)), func() { d.sayTargets(all) })
		}),
	}
}

// whoSays that a part may be so long.
func whoSays(l core.HandoffLimit) string {
	if l.Own {
		return "set by you"
	}
	return l.Source + ", " + l.Dated
}

func (d *door) sayTargets(all []core.HandoffTarget) {
	for _, t := range all {
		d.say("%s", t.Target)
		for _, p := range t.Parts {
			d.say("  %s: %s (%s)", p.Name, grouped(p.Limit), whoSays(p))
		}
		d.sayIf(len(t.Rules.Types) > 0, "  only types %v", t.Rules.Types)
		d.sayIf(len(t.Rules.WithoutTags) > 0, "  without tags %s", strings.Join(t.Rules.WithoutTags, ", "))
		d.sayIf(t.Rules.Projects, "  with what was told for one project")
	}
}

func (d *door) handoffRules() *cobra.Command {
	var kinds, tags, limits []string
	var projects bool
	cmd := &cobra.Command{
		Use:   "rules TARGET",
		Short: "Say what a target may be given, and how long its parts may be",
		Long:  "Say what a target may be given, and how long its parts may be. What is not named goes back to how it was at first.",
		Args:  exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			rules := core.HandoffRules{WithoutTags: tags, Projects: projects, Limits: map[string]int{}}
			var err error
			if rules.Types, err = eachOneOf("type", kinds, memory.Types()); err != nil {
				return err
			}
			for _, l := range limits {
				name, n, ok := strings.Cut(l, "=")
				value, err := strconv.Atoi(n)
				if !ok || err != nil {
					return fault.New(fault.Invalid, "bad-limit", "--limit takes PART=NUMBER, not {value}.").With("value", l)
				}
				rules.Limits[name] = value
			}
			return d.setHandoffRules(cmd.Context(), args[0], rules)
		},
	}
	cmd.Flags().StringSliceVar(&kinds, "type", nil, "only memories of these types")
	cmd.Flags().StringSliceVar(&tags, "without-tag", nil, "no memory with one of these tags")
	cmd.Flags().BoolVar(&projects, "projects", false, "what was told for one project, workspace or Gem, too")
	cmd.Flags().StringSliceVar(&limits, "limit", nil, "PART=NUMBER: how long a part may be, in UTF-16 units")
	return cmd
}

func (d *door) setHandoffRules(ctx context.Context, target string, rules core.HandoffRules) error {
	svc, err := d.unlocked(ctx)
	if err != nil {
		return err
	}
	err = svc.SetHandoffRules(ctx, target, rules)
	return d.answerUnless(err, rules, func() { d.say("Kept for %s.", target) })
}
