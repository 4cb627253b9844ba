package cli

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
	"keepsake/backend/memory"
)

// propose switches looking for proposals on and off, and looks.
func (d *door) propose() *cobra.Command {
	return parent("propose", "Look for what could be a memory in what you wrote",
		d.allowProposing("on", "Allow it, and look through all conversations", true),
		d.allowProposing("off", "End it; what waits in the Inbox stays", false),
		&cobra.Command{
			Use: "look", Short: "Look through what was imported since the last look", Args: exactly(0),
			RunE: d.onVault(func(ctx context.Context, svc *core.Service, _ []string) error {
				return d.lookThrough(ctx, svc)
			}),
		})
}

func (d *door) allowProposing(use, short string, on bool) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: exactly(0),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, _ []string) error {
			if err := svc.AllowProposing(ctx, on); err != nil {
				return err
			}
			if on {
				return d.lookThrough(ctx, svc)
			}
			return d.answer(map[string]bool{"allowed": false}, func() { d.say("Keepsake no longer looks for proposals.") })
		}),
	}
}

func (d *door) lookThrough(ctx context.Context, svc *core.Service) error {
	looked, err := svc.LookThrough(ctx, nil)
	return d.answerUnless(err, looked, func() {
		d.say("Looked through %s with %s of yours: %s.", count(looked.Conversations, "conversation", "conversations"),
			count(looked.Messages, "message", "messages"), count(looked.New, "new proposal", "new proposals"))
		d.sayIf(looked.Known > 0, "%s known or decided already.", count(looked.Known, "sentence was", "sentences were"))
		d.sayIf(looked.Rejected > 0, "%s the same as what you rejected, in other words, and nothing was proposed from them.", count(looked.Rejected, "sentence says", "sentences say"))
		d.sayIf(looked.Flagged > 0, "%s command an assistant; nothing was proposed from them.", count(looked.Flagged, "message tries to", "messages try to"))
		d.sayIf(looked.TooLong > 0, "%s too long to be speech and left alone.", count(looked.TooLong, "message was", "messages were"))
	})
}

func (d *door) accept() *cobra.Command {
	var content, kind string
	var tags []string
	var all bool
	cmd := &cobra.Command{
		Use:   "accept ID…",
		Short: "Make proposals memories, and changes that agents propose",
		RunE: func(cmd *cobra.Command, args []string) error {
			changed := content != "" || kind != "" || len(tags) > 0
			if all == (len(args) > 0) || changed && len(args) != 1 {
				return usageError{errors.New("accept takes ids or --all; --content, --type and --tags go with one id")}
			}
			svc, err := d.unlocked(cmd.Context())
			if err != nil {
				return err
			}
			if !changed {
				return d.acceptAll(cmd.Context(), svc, args)
			}
			wanted := core.ProposalEdit{Content: ifGiven(content != "", content), Tags: tags}
			if wanted.Type, err = oneOfGiven(kind != "", "type", kind, memory.Types()); err != nil {
				return err
			}
			r, err := svc.AcceptProposal(cmd.Context(), args[0], wanted)
			return d.answerUnless(err, r, func() { d.say("Kept as %s.", r.ID) })
		},
	}
	cmd.Flags().StringVar(&content, "content", "", "other words")
	cmd.Flags().StringVar(&kind, "type", "", "another type")
	cmd.Flags().StringSliceVar(&tags, "tags", nil, "tags")
	cmd.Flags().BoolVar(&all, "all", false, "everything in the Inbox")
	return cmd
}

func (d *door) acceptAll(ctx context.Context, svc *core.Service, ids []string) error {
	left := 0
	if len(ids) == 0 {
		page, err := svc.Proposals(ctx, core.ProposalQuery{})
		if err != nil {
			return err
		}
		for _, p := range page.Items {
			ids = append(ids, p.ID)
		}
		changes, err := svc.ProposedChanges(ctx, ids)
		if err != nil {
			return err
		}
		ids = slices.DeleteFunc(ids, func(id string) bool { return changes[id].Standing != "" })
		left = page.Total - len(ids)
	}
	n, err := svc.AcceptProposals(ctx, ids)
	return d.answerUnless(err, map[string]int{"accepted": n, "left": left}, func() {
		d.say("%s accepted.", count(n, "proposal", "proposals"))
		d.sayIf(left > 0, "%s cannot be accepted any more: review changes says why.", count(left, "change", "changes"))
	})
}

func (d *door) reject() *cobra.Command {
	return &cobra.Command{
		Use:   "reject ID…",
		Short: "Take proposals out of the Inbox; they do not come again",
		Args:  atLeastOne,
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, args []string) error {
			n, err := svc.RejectProposals(ctx, args)
			return d.answerUnless(err, map[string]int{"rejected": n}, func() { d.say("%s rejected.", count(n, "proposal", "proposals")) })
		}),
	}
}

func (d *door) mergeProposal() *cobra.Command {
	return &cobra.Command{
		Use:   "merge-proposal ID INTO",
		Short: "Count a proposal as said once more of a memory",
		Args:  exactly(2),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, args []string) error {
			r, err := svc.MergeProposal(ctx, args[0], args[1])
			return d.answerUnless(err, r, func() { d.say("Merged into %s.", r.ID) })
		}),
	}
}
