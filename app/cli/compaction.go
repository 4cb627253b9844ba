package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
)

func (d *door) compaction() *cobra.Command {
	return parent("compaction", "Put away memories that nobody needs to see, and summarize long conversations",
		d.compactionPlan(), d.compactionApply(), d.compactionLimits())
}

func (d *door) compactionPlan() *cobra.Command {
	return &cobra.Command{
		Use:   "plan",
		Short: "Show what could be compacted, and why; nothing changes",
		Args:  exactly(0),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, _ []string) error {
			if err := svc.MakeVectors(ctx, fewVectors); err != nil && !core.IsMeaningUnavailable(err) {
				return err
			}
			plan, err := svc.PlanCompaction(ctx)
			return d.answerUnless(err, plan, func() {
				for _, item := range plan.Items {
					d.say("%s  %-9s  %s  %s", item.ID, listed(item.Kinds), oneLine(item.Title, 80), whyCompact(item))
				}
				d.say("%s; the active memories have about %s tokens.", count(len(plan.Items), "thing", "things"), grouped(plan.Tokens))
			})
		}),
	}
}

func whyCompact(item core.CompactionItem) string {
	switch {
	case item.Is(core.CompactDuplicate):
		return "(says the same as " + item.Keeps + ", which stays)"
	case item.Is(core.CompactRepeat):
		return "(seems to say the same as " + item.Keeps + ", which stays: " + oneLine(item.KeepsTitle, 80) + ")"
	case item.Is(core.CompactSession):
		return "(" + count(item.Messages, "message", "messages") + ")"
	}
	return "(not imported, opened or changed since " + item.Last.String() + ")"
}

func (d *door) compactionApply() *cobra.Command {
	var kinds []string
	cmd := &cobra.Command{
		Use:   "apply [--kind K] [ID…]",
		Short: "Archive memories of the plan, and propose summaries of its conversations",
		Long: "Does what is named of the plan, by ids or by kinds: duplicate, unused, oldest, session; what only seems to say the same as another (repeat) by ids alone. Memories are archived: they stay in the vault and can be found, and one undo\n" +
			"takes it back. Of conversations, which stay as they are, a summary and facts wait in the Inbox; nothing becomes a memory before you accept it.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args)+len(kinds) == 0 {
				return usageError{errors.New("say what to put away: ids of the plan, or --kind")}
			}
			chosen, err := eachOneOf("kind", kinds, core.CompactionKinds())
			if err != nil {
				return err
			}
			svc, err := d.unlocked(cmd.Context())
			if err != nil {
				return err
			}
			done, err := svc.ApplyCompaction(cmd.Context(), core.CompactionChoice{IDs: args, Kinds: chosen})
			return d.answerUnless(err, done, func() {
				d.say("Archived %s. Of %s, %s in the Inbox.", count(done.Archived, "memory", "memories"),
					count(done.Sessions, "conversation", "conversations"), count(done.Proposed, "proposal waits", "proposals wait"))
				d.sayIf(done.Proposed > 0, "Undo takes back what was archived, and no proposals: reject those that you do not want.")
			})
		},
	}
	cmd.Flags().StringSliceVar(&kinds, "kind", nil, listed(core.CompactionKinds()))
	return cmd
}

func (d *door) compactionLimits() *cobra.Command {
	var wanted core.CompactionLimits
	cmd := &cobra.Command{
		Use:   "limits",
		Short: "Show or set from where on there is something to compact",
		Args:  exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			svc, err := d.unlocked(cmd.Context())
			if err != nil {
				return err
			}
			for name, limit := range map[string]*int{"tokens": &wanted.Tokens, "messages": &wanted.Messages, "days": &wanted.Days} {
				if cmd.Flags().Changed(name) && *limit == 0 {
					*limit = -1 // it was asked for, and is none
				}
			}
			limits, err := svc.CompactionLimits(cmd.Context())
			if err == nil && wanted != (core.CompactionLimits{}) {
				limits, err = svc.SetCompactionLimits(cmd.Context(), wanted)
			}
			return d.answerUnless(err, limits, func() {
				d.say("%s tokens of active memories; %d messages of a conversation; %d days without being opened or changed.", grouped(limits.Tokens), limits.Messages, limits.Days)
			})
		},
	}
	cmd.Flags().IntVar(&wanted.Tokens, "tokens", 0, "of the active memories together")
	cmd.Flags().IntVar(&wanted.Messages, "messages", 0, "of one conversation")
	cmd.Flags().IntVar(&wanted.Days, "days", 0, "without a memory being opened or changed")
	return cmd
}
