package cli

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"keepsake/backend/bench"
	"keepsake/backend/fault"
)

func (d *door) bench() *cobra.Command {
	o := bench.Options{}
	var most float64
	cmd := &cobra.Command{
		Use:       "bench [NAME…]",
		Short:     "Measure the main jobs against their floors",
		Long:      "Measures the main jobs on generated data, each against the least any program would have to do,\nin child processes that take turns. Processor time is compared; docs/performance.md says how to read it.",
		ValidArgs: bench.Names(),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Names = args
			if err := o.Plan.Check(); err != nil {
				return usageError{err}
			}
			if !d.json {
				o.Tell = d.sayMeasured
			}
			answers, err := bench.Run(cmd.Context(), o)
			if err != nil {
				d.noteCause(err)
				return err
			}
			if d.json {
				if err := d.printJSON(map[string]any{"rows": answers}); err != nil {
					return err
				}
			}
			for _, a := range answers {
				if most > 0 && a.Ratio > most {
					d.note("%s takes %.2f times its floor; at most %.2f was allowed.", a.Row, a.Ratio, most)
					err = errNotSo
				}
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&o.Plan.Megabytes, "size", 100, "megabytes of the export that is imported")
	flags.IntVar(&o.Plan.Memories, "memories", 20_000, "memories in the vault of the other rows")
	flags.IntVar(&o.Plan.Messages, "messages", 100_000, "messages in it")
	flags.IntVar(&o.Plan.Rounds, "rounds", 3, "how often floor and job take turns")
	flags.StringSliceVar(&o.Plan.Peer, "peer", nil, "a command that imports the same export, to compare with (words with commas between)")
	flags.Float64Var(&most, "max-ratio", 0, "exit 1 when a row takes more processor time than so many times its first floor")
	return cmd
}

func (d *door) sayMeasured(a bench.Answer) {
	d.say("%-14s %s", a.Row, took(a.Work))
	for _, name := range slices.Sorted(maps.Keys(a.Floors)) {
		r := a.Ratios[name]
		d.say("  over %-11s %s", name, took(a.Floors[name]))
		d.say("  %16s processor time × %.2f (%.2f–%.2f), wall × %.2f (%.2f–%.2f)", "",
			r.CPU.Median, r.CPU.Min, r.CPU.Max, r.Wall.Median, r.Wall.Min, r.Wall.Max)
	}
	for _, name := range slices.Sorted(maps.Keys(a.Sides)) {
		d.say("  beside %-9s %s", name, took(a.Sides[name]))
	}
	for _, g := range a.Goals {
		d.say("  %-60s %s", g.What, verdict(g))
	}
}

// took says the middle of the rounds.
func took(f bench.Figures) string {
	memory := "memory: this system does not tell"
	switch {
	case f.Memory && f.Anon > 0:
		memory = fmt.Sprintf("%.0f MB, %.0f MB with mapped files", float64(f.Anon)/1e6, float64(f.Peak)/1e6)
	case f.Memory:
		memory = fmt.Sprintf("%.0f MB with mapped files", float64(f.Peak)/1e6)
	}
	return fmt.Sprintf("%8.3f s, %8.3f s of processor time; %s", f.Wall.Seconds(), f.CPU.Seconds(), memory)
}

func verdict(g bench.Goal) string {
	switch g.Verdict {
	case bench.Told:
		return fmt.Sprintf("%10.2f", g.Value)
	case bench.Unsaid:
		return "this system does not tell"
	case bench.Met:
		return fmt.Sprintf("%10.2f  (at most %g)", g.Value, g.Limit)
	}
	return fmt.Sprintf("%10.2f  OVER %g", g.Value, g.Limit)
}

func (d *door) benchChild() *cobra.Command {
	return &cobra.Command{
		Use:    bench.ChildCommand,
		Hidden: true,
		Args:   exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := bench.Child(cmd.Context(), d.env.Stdin, d.env.Stdout)
			d.noteCause(err)
			return err
		},
	}
}

// noteCause tells the person who measures everything, and not only that it is our mistake.
func (d *door) noteCause(err error) {
	if fault.CodeOf(err) != fault.Internal {
		return
	}
	if cause := errors.Unwrap(fault.From(err)); cause != nil {
		d.note("%v", cause)
	}
}
