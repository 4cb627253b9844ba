package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
)

func (d *door) audit() *cobra.Command {
	var q core.LogQuery
	verify, reading := false, ""
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Show what was done to the vault, newest first; the log's chain is checked on the way",
		Args:  exactly(0),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, _ []string) error {
			if reading != "" {
				return d.logReading(ctx, svc, reading)
			}
			page, err := svc.Log(ctx, q)
			if err != nil {
				return err
			}
			if verify {
				return d.answer(map[string]any{"whole": true, "entries": page.Total}, func() {
					d.say("The log is whole: %s, each bound to the one before.", count(page.Total, "entry", "entries"))
				})
			}
			return d.answer(page, func() {
				for _, e := range page.Entries {
					d.sayEntry(e)
				}
				d.say("%s", outOf(len(page.Entries), page.Total, "entry", "entries"))
			})
		}),
	}
	flags := cmd.Flags()
	flags.BoolVar(&verify, "verify", false, "only check the chain, and say how many entries it has")
	flags.StringVar(&reading, "reading", "", "have it logged when you open or search something yourself: `on` or off")
	flags.StringVar(&q.Target, "id", "", "only what was done to the thing with this id")
	flags.IntVar(&q.Offset, "offset", 0, "skip so many")
	flags.IntVar(&q.Limit, "limit", 0, "show at most so many; 0 shows all")
	for _, of := range []string{"id", "offset", "limit"} {
		cmd.MarkFlagsMutuallyExclusive("reading", "verify", of)
	}
	return cmd
}

func (d *door) logReading(ctx context.Context, svc *core.Service, reading string) error {
	if reading != "on" && reading != "off" {
		return usageError{fmt.Errorf("--reading is on or off")}
	}
	on := reading == "on"
	err := svc.LogReading(ctx, on)
	return d.answerUnless(err, map[string]bool{"logs_reading": on}, func() {
		if on {
			d.say("What you open and that you search is written into the log from now on. It names nothing.")
		} else {
			d.say("Your own reading is not written into the log.")
		}
	})
}

func (d *door) receipts() *cobra.Command {
	return &cobra.Command{
		Use:   "receipts",
		Short: "List what was forgotten in the last thirty days, without its content",
		Args:  exactly(0),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, _ []string) error {
			all, err := svc.Receipts(ctx)
			return d.answerUnless(err, map[string]any{"receipts": all}, func() {
				for _, r := range all {
					d.say("%s  %s  %s, %s with %s", r.ID, r.At, count(r.Memories, "memory", "memories"),
						count(r.Conversations, "conversation", "conversations"), count(r.Messages, "message", "messages"))
				}
				d.say("%s", count(len(all), "receipt", "receipts"))
			})
		}),
	}
}

func (d *door) sayEntry(e core.LogEntry) {
	text := oneOrOther(e.Count > 0, "  "+grouped(e.Count), "")
	d.say("%6d  %s  %-10s  %s%s", e.Seq, e.At, e.Actor, e.Action, text)
}

func (d *door) freeze(on bool) *cobra.Command {
	cmd := &cobra.Command{Use: "unfreeze", Short: "Let the vault be changed again", Args: exactly(0)}
	if on {
		cmd.Use, cmd.Short = "freeze", "Let the vault be read only, until unfreeze"
	}
	cmd.RunE = d.onVault(func(ctx context.Context, svc *core.Service, _ []string) error {
		err := svc.FreezeVault(ctx, on)
		return d.answerUnless(err, map[string]bool{"frozen": on}, func() {
			if on {
				d.say("The vault is frozen: it can be read, and nothing in it can be changed.")
			} else {
				d.say("The vault can be changed again.")
			}
		})
	})
	return cmd
}
