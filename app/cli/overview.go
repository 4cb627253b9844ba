package cli

import (
	"context"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
)

func (d *door) history() *cobra.Command {
	return &cobra.Command{
		Use:   "history ID",
		Short: "Say how a memory came to be what it is",
		Args:  exactly(1),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, args []string) error {
			all, err := svc.History(ctx, args[0])
			return d.answerUnless(err, listOf(all, len(all)), func() {
				for _, change := range all {
					for _, f := range change.Fields {
						d.say("%s  %s: %s → %s", change.At, f.Path, oneLine(string(f.A), 70), oneLine(string(f.B), 70))
					}
				}
				d.sayIf(len(all) == 0, "It was never changed.")
			})
		}),
	}
}

func (d *door) insights() *cobra.Command {
	return &cobra.Command{
		Use:   "insights",
		Short: "Count what the vault holds, by type, month, confidence and model",
		Args:  exactly(0),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, _ []string) error {
			in, err := svc.Insights(ctx)
			return d.answerUnless(err, in, func() {
				d.say("%s: %d fading, %d untouched for a year, %s", count(in.Memories, "memory", "memories"), in.Fading, in.Stale, count(in.Contradicting, "contradiction", "contradictions"))
				for _, f := range in.Focus {
					d.sayFocus(f)
				}
				d.sayInsights(in)
			})
		}),
	}
}

// sayFocus says which chapter most of a platform's memories are in.
func (d *door) sayFocus(f core.Focus) {
	if f.Since == "" {
		d.say("%s: most is in the chapter %s (%s of %s)", oneLine(f.Platform, 60), f.Chapter, grouped(f.Count), count(f.Of, "memory", "memories"))
		return
	}
	d.say("%s, since %s: most is in the chapter %s (%s of %s, before %s of %s)", oneLine(f.Platform, 60), f.Since, f.Chapter, grouped(f.Count), count(f.Of, "memory", "memories"), grouped(f.Before), grouped(f.OfBefore))
}

// sayInsights tells the counts by type, month, confidence and model.
func (d *door) sayInsights(in core.Insights) {
	for _, kind := range slices.Sorted(maps.Keys(in.Types)) {
		for _, status := range slices.Sorted(maps.Keys(in.Types[kind])) {
			d.say("%s, %s: %s", kind, status, grouped(in.Types[kind][status]))
		}
	}
	for _, m := range in.Months {
		d.say("made in %s, %s: %s", m.Month, oneLine(m.Platform, 60), grouped(m.Count))
	}
	for tenth, n := range in.Confidence {
		d.sayIf(n > 0, "confidence from %.1f to %.1f: %s", float64(tenth)/10, float64(tenth+1)/10, grouped(n))
	}
	for _, model := range slices.Sorted(maps.Keys(in.Models)) {
		d.say("%s: %s", oneLine(model, 60), count(in.Models[model], "conversation", "conversations"))
	}
}
