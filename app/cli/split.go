package cli

import (
	"github.com/spf13/cobra"

	"keepsake/backend/core"
)

func (d *door) split() *cobra.Command {
	var yes bool
	var facts []string
	cmd := &cobra.Command{
		Use:   "split ID",
		Short: "Split a memory that holds several facts into one memory each",
		Long: "Without --yes it shows the facts and changes nothing. With it each fact becomes a memory derived from the whole one,\n" +
			"which is archived; undo takes all of it back. --fact, once for each, takes facts of your own words instead.",
		Args: exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, err := d.unlocked(cmd.Context())
			if err != nil {
				return err
			}
			plan, err := svc.PlanSplit(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if len(facts) > 0 {
				plan.Facts = facts
			}
			if !yes || len(plan.Facts) == 0 {
				return d.answer(plan, func() { d.sayFacts(plan) })
			}
			parts, err := svc.SplitMemory(cmd.Context(), args[0], plan.Facts)
			return d.answerUnless(err, parts, func() { d.say("Split into %s; the whole is archived.", count(len(parts), "memory", "memories")) })
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "split it")
	cmd.Flags().StringArrayVar(&facts, "fact", nil, "a fact to split it into")
	return cmd
}

func (d *door) sayFacts(plan core.Splitting) {
	if len(plan.Facts) == 0 {
		d.say("Nothing to split was found in it.")
		return
	}
	for _, fact := range plan.Facts {
		d.say("%s", fact)
	}
}
