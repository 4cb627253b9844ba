package cli

import (
	"context"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
)

func (d *door) review() *cobra.Command {
	var s selection
	cmd := &cobra.Command{
		Use:   "review [near|contradict|relations]…",
		Short: "List pairs of memories that may say the same, contradict each other or belong together",
		Long: "Pairs of active memories that are close in meaning: near (they seem to say the same), contradict (they differ in a\n" +
			"number, a date, a negation or a value of which there is one) and relations (they are about the same, and no\n" +
			"relation says so). A guess, for you to judge: nothing is changed. review merge KEEP OTHER makes one of two that say\n" +
			"the same, set-status ID superseded --by OTHER puts one in the place of another, relate joins them, and review pass\n" +
			"A B leaves a pair out from then on. review changes lists what assistants would change.",
		ValidArgs: []string{"near", "contradict", "relations"},
		Args:      cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			kinds, err := eachOneOf("kind of pair", args, core.ReviewKinds())
			if err != nil {
				return err
			}
			if err := s.checkWindow(); err != nil {
				return err
			}
			svc, err := d.unlocked(cmd.Context())
			if err != nil {
				return err
			}
			return d.reviewed(cmd.Context(), svc, kinds, s.offset, s.limit)
		},
	}
	cmd.Flags().IntVar(&s.limit, "limit", 20, "at most so many, up to 200")
	cmd.Flags().IntVar(&s.offset, "offset", 0, "leave out so many first")
	cmd.AddCommand(d.reviewPass(), d.reviewMerge(), d.reviewPortrait(), d.reviewTrue(), d.reviewWrong(), d.reviewEnded(), d.reviewMove(), d.reviewAsked(), d.reviewChanges())
	return cmd
}

func (d *door) reviewPass() *cobra.Command {
	var again bool
	cmd := &cobra.Command{
		Use:   "pass ID OTHER",
		Short: "Leave a pair out of all reviews from now on",
		Args:  exactly(2),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, args []string) error {
			err := svc.PassOver(ctx, args[0], args[1], !again)
			return d.answerUnless(err, map[string]bool{"passed": !again}, func() {
				d.say("%s", oneOrOther(again, "This pair can be shown again.", "This pair is not shown again."))
			})
		}),
	}
	cmd.Flags().BoolVar(&again, "again", false, "let a review show the pair again")
	return cmd
}

func (d *door) reviewMerge() *cobra.Command {
	return &cobra.Command{
		Use:   "merge KEEP OTHER",
		Short: "Merge a memory into another one that says the same",
		Long: "KEEP keeps its text, gains the sources of OTHER and is reinforced as by one more statement. OTHER becomes\n" +
			"superseded by it. Undo takes both back.",
		Args: exactly(2),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, args []string) error {
			kept, err := svc.MergeMemories(ctx, args[0], args[1])
			return d.answerUnless(err, map[string]string{"kept": kept.ID, "superseded": args[1]}, func() { d.say("Merged into %s.", kept.ID) })
		}),
	}
}

// reviewView is the JSON of a review.
type reviewView struct {
	Pairs   []pairView `json:"pairs"`
	Total   int        `json:"total"`
	Missing int        `json:"missing,omitempty"` // records that are not compared yet
}

type pairView struct {
	Kind       core.ReviewKind `json:"kind"`
	Reason     string          `json:"reason,omitempty"` // in what they differ: number, date, negation or value
	Similarity float64         `json:"similarity"`
	A          sideView        `json:"a"`
	B          sideView        `json:"b"`
}

type sideView struct {
	ID       string `json:"id"`
	Content  string `json:"content"`
	Platform string `json:"platform"`
}

func (d *door) reviewed(ctx context.Context, svc *core.Service, kinds []core.ReviewKind, offset, limit int) error {
	if err := svc.MakeVectors(ctx, 0); err != nil {
		return err
	}
	r, err := svc.Review(ctx, kinds, offset, limit)
	if err != nil {
		return err
	}
	view := reviewView{Pairs: []pairView{}, Total: r.Total, Missing: r.Missing}
	for _, p := range r.Pairs {
		view.Pairs = append(view.Pairs, pairView{
			Kind: p.Kind, Reason: string(p.Reason), Similarity: p.Similarity,
			A: sideView{p.A.ID, p.A.Content, p.A.Provenance.Platform}, B: sideView{p.B.ID, p.B.Content, p.B.Provenance.Platform},
		})
	}
	err = d.answer(view, func() {
		for _, p := range view.Pairs {
			d.say("%s%s", p.Kind, oneOrOther(p.Reason != "", " ("+p.Reason+")", ""))
			d.say("  %s  %s", p.A.ID, oneLine(p.A.Content, 200))
			d.say("  %s  %s", p.B.ID, oneLine(p.B.Content, 200))
		}
		d.say("%s", outOf(len(view.Pairs), view.Total, "pair", "pairs"))
	})
	return orNotSo(err, r.Total > 0)
}
