package cli

import (
	"github.com/spf13/cobra"

	"keepsake/backend/bench"
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
			if !d.json {
				o.Tell = d.sayMeasured
			}
			answers, err := bench.Run(cmd.Context(), o)
			if err != nil {
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
	flags.Float64Var(&most, "max-ratio", 0, "exit 1 when a row takes more processor time than so many times its floor")
	return cmd
}

func (d *door) sayMeasured(a bench.Answer) {
	d.say("%s: %.3f s, %.3f s of processor time, %.0f MB (%.0f MB with mapped files)",
		a.Row, a.Work.Wall.Seconds(), a.Work.CPU.Seconds(), float64(a.Work.Anon)/1e6, float64(a.Work.Peak)/1e6)
	for name, f := range a.Floors {
		d.say("  %s alone: %.3f s, %.3f s of processor time", name, f.Wall.Seconds(), f.CPU.Seconds())
	}
	for _, g := range a.Goals {
		switch {
		case g.Limit == 0:
			d.say("  %-52s %10.2f", g.What, g.Value)
		case g.Met():
			d.say("  %-52s %10.2f  (at most %g)", g.What, g.Value, g.Limit)
		default:
			d.say("  %-52s %10.2f  OVER %g", g.What, g.Value, g.Limit)
		}
	}
}

func (d *door) benchChild() *cobra.Command {
	return &cobra.Command{
		Use:    bench.ChildCommand,
		Hidden: true,
		Args:   exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return bench.Child(cmd.Context(), d.env.Stdin, d.env.Stdout)
		},
	}
}
