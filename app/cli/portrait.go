package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
	"keepsake/backend/memory"
)

// portraitFlags narrow a portrait.
type portraitFlags struct {
	chapter       string
	offset, limit int
	left          bool
	news, there   bool // instead of the portrait
}

func (d *door) portrait() *cobra.Command {
	var f portraitFlags
	cmd := d.readPortrait("Show what assistants remember of you, by chapters", &f)
	cmd.Long = "Active memories as sentences, in chapters: " + strings.Join(core.Chapters(), ", ") + ".\n" +
		"Of each chapter the first twelve, or of one as many as --limit says. What is reviewed is marked with ✓.\n" +
		"review true, review wrong and review ended say of a sentence what is the matter with it.\n" +
		"--new tells what the last export of each account says that the one before did not, --delete-there\n" +
		"what is not true any more here and still stands in it; review asked ticks that off."
	cmd.Flags().BoolVar(&f.left, "left", false, "only what is not reviewed yet")
	cmd.Flags().BoolVar(&f.news, "new", false, "what assistants learned, changed and dropped since the export before")
	cmd.Flags().BoolVar(&f.there, "delete-there", false, "what to ask assistants to forget, in words to paste")
	cmd.MarkFlagsMutuallyExclusive("new", "delete-there", "left")
	cmd.MarkFlagsMutuallyExclusive("new", "delete-there", "chapter")
	return cmd
}

// reviewPortrait lists what is left to review.
func (d *door) reviewPortrait() *cobra.Command {
	return d.readPortrait("List the sentences of the portrait that you have not reviewed", &portraitFlags{left: true})
}

func (d *door) readPortrait(short string, f *portraitFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use: "portrait", Short: short, Args: exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkPortrait(cmd, *f); err != nil {
				return err
			}
			svc, err := d.unlocked(cmd.Context())
			if err != nil {
				return err
			}
			window := core.NewsQuery{Offset: f.offset, Limit: f.limit}
			switch {
			case f.news:
				news, err := svc.PortraitNews(cmd.Context(), window)
				return d.answerUnless(err, news, func() { d.sayPortraitNews(news) })
			case f.there:
				there, err := svc.PortraitDeletions(cmd.Context(), window)
				return d.answerUnless(err, there, func() { d.sayDeletions(there) })
			}
			p, err := svc.Portrait(cmd.Context(), core.PortraitQuery{Chapter: f.chapter, Offset: f.offset, Limit: f.limit, Left: f.left})
			return d.answerUnless(err, p, func() { d.sayPortrait(p) })
		},
	}
	cmd.Flags().StringVar(&f.chapter, "chapter", "", "only this chapter")
	cmd.Flags().IntVar(&f.limit, "limit", 12, "of a chapter, or of a list of --new or --delete-there, at most so many, up to 200")
	cmd.Flags().IntVar(&f.offset, "offset", 0, "of the same leave out so many first")
	return cmd
}

func checkPortrait(cmd *cobra.Command, f portraitFlags) error {
	if f.chapter == "" && !f.news && !f.there {
		for _, name := range []string{"limit", "offset"} {
			if cmd.Flags().Changed(name) {
				return usageError{errors.New("--" + name + " goes with --chapter")}
			}
		}
		return nil
	}
	if f.limit < 1 || f.limit > 200 || f.offset < 0 {
		return usageError{errors.New("--limit is from 1 to 200, and --offset 0 or more")}
	}
	if f.chapter == "" {
		return nil
	}
	_, err := oneOf("chapter", f.chapter, core.Chapters())
	return err
}

func (d *door) sayPortrait(p core.Portrait) {
	for _, part := range p.Chapters {
		d.say("%s", strings.ToUpper(part.Chapter.String()))
		for _, s := range part.Sentences {
			d.say("  %s %s  %s%s", oneOrOther(s.Reviewed, "✓", " "), s.ID, oneLine(s.Content, 200), oneOrOther(s.Told > 1, " ("+count(s.Told, "time", "times")+" told)", ""))
		}
		d.sayIf(part.Total > len(part.Sentences), "    %s of %s", grouped(len(part.Sentences)), count(part.Total, "sentence", "sentences"))
	}
	d.say("%s, %s not reviewed yet.", count(p.Total, "sentence", "sentences"), grouped(p.Left))
}

func (d *door) reviewTrue() *cobra.Command {
	return &cobra.Command{
		Use: "true ID…", Short: "Say of memories that they are true as they are", Args: atLeastOne,
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, args []string) error {
			return d.sayReviewed(svc.ConfirmMemories(ctx, args))
		}),
	}
}

func (d *door) reviewWrong() *cobra.Command {
	return &cobra.Command{
		Use: "wrong ID…", Short: "Retract memories that are wrong", Args: atLeastOne,
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, args []string) error {
			return d.sayReviewed(svc.EditMany(ctx, core.ManyEdit{IDs: args, Status: memory.Retracted}))
		}),
	}
}

func (d *door) reviewMove() *cobra.Command {
	return &cobra.Command{
		Use: "move CHAPTER ID…", Short: `Put memories into a chapter of the portrait; "-" lets Keepsake choose it again`, Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			chapter := ""
			if args[0] != "-" {
				var err error
				if chapter, err = oneOf("chapter", args[0], core.Chapters()); err != nil {
					return err
				}
			}
			svc, err := d.unlocked(cmd.Context())
			if err != nil {
				return err
			}
			return d.sayReviewed(svc.MoveMemories(cmd.Context(), args[1:], chapter))
		},
	}
}

func (d *door) sayReviewed(n core.ManyChanged, err error) error {
	return d.answerUnless(err, n, func() {
		d.say("%s.", count(n.Changed, "memory changed", "memories changed"))
		d.sayIf(n.Left > 0, "%s as before.", count(n.Left, "memory stays", "memories stay"))
	})
}

func (d *door) reviewEnded() *cobra.Command {
	var since, instead string
	cmd := &cobra.Command{
		Use:   "ended ID",
		Short: "Say that something was true and is not any more",
		Long:  "What holds instead becomes a memory of its own that supersedes it; without --instead it is retracted.",
		Args:  exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			day, err := parseDay("since", since)
			if err != nil {
				return err
			}
			svc, err := d.unlocked(cmd.Context())
			if err != nil {
				return err
			}
			r, err := svc.EndMemory(cmd.Context(), args[0], core.Ending{Since: day, Instead: instead})
			return d.answerUnless(err, r, func() {
				d.say("%s", oneOrOther(instead == "", "Retracted.", "Superseded by "+r.ID+"."))
			})
		},
	}
	cmd.Flags().StringVar(&since, "since", "", "the day from which it was not true any more (2026-11-21)")
	cmd.Flags().StringVar(&instead, "instead", "", "what holds instead")
	return cmd
}
