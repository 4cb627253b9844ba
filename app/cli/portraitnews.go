package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
	"keepsake/backend/memory"
)

func (d *door) sayPortraitNews(all []core.PortraitNews) {
	for _, n := range all {
		d.say("%s, since %s", accountTitle(n.Platform, n.Account), dayOf(n.Since.String()))
		d.sayStatements("learned", n.Learned)
		d.sayStatements("changed", n.Changed)
		d.sayStatements("no longer in its export", n.Dropped)
	}
	d.sayIf(len(all) == 0, "The last exports say what those before them did.")
}

func (d *door) sayStatements(what string, list core.Statements) {
	if list.Total == 0 {
		return
	}
	d.say("  %s: %s", what, count(list.Total, "sentence", "sentences"))
	for _, s := range list.First {
		before := oneOrOther(s.Before == "", "", oneLine(s.Before, 200)+" → ")
		state := oneOrOther(s.Status == memory.Active, "", " ("+string(s.Status)+" here)")
		d.say("    %s %s  %s%s%s", oneOrOther(s.Reviewed, "✓", " "), s.ID, before, oneLine(s.Content, 200), state)
	}
	d.sayIf(list.Total > len(list.First), "    %s of %s", grouped(len(list.First)), grouped(list.Total))
}

func (d *door) sayDeletions(all []core.PortraitDeletions) {
	for _, one := range all {
		d.say("%s: its export up to %s still has %s that you called not true any more", accountTitle(one.Platform, one.Account), dayOf(one.Exported.String()), count(one.Total, "sentence", "sentences"))
		for _, s := range one.First {
			d.say("  %s  Please forget this about me: “%s”", s.ID, strings.TrimSpace(s.Content))
		}
		d.sayIf(one.Total > len(one.First), "    %s of %s", grouped(len(one.First)), grouped(one.Total))
	}
	d.sayIf(len(all) == 0, "There is no sentence to delete at an assistant.")
	d.sayIf(len(all) > 0, "Once you have asked: keepsake review asked PLATFORM ID…")
}

// accountTitle is a platform, with the account where its exports name one.
func accountTitle(platform, account string) string {
	if account == "" {
		return platform
	}
	return platform + " (" + oneLine(strings.ReplaceAll(account, "\n", ", "), 80) + ")"
}

func (d *door) reviewAsked() *cobra.Command {
	return &cobra.Command{
		Use:   "asked PLATFORM ID…",
		Short: "Say that you asked an assistant to forget memories",
		Long:  "Ticks off what portrait --delete-there lists of an assistant, such as chatgpt. Nothing is sent to it.",
		Args:  cobra.MinimumNArgs(2),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, args []string) error {
			return d.sayReviewed(svc.MarkAsked(ctx, args[0], args[1:]))
		}),
	}
}
