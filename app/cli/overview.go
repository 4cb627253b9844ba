package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"
)

func (d *door) history() *cobra.Command {
	return &cobra.Command{
		Use:   "history ID",
		Short: "Say how a memory came to be what it is",
		Args:  exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, err := d.unlocked(cmd.Context())
			if err != nil {
				return err
			}
			all, err := svc.History(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return d.answer(listOf(all, len(all)), func() {
				for _, change := range all {
					for _, f := range change.Fields {
						d.say("%s  %s: %s → %s", change.At, f.Path, oneLine(string(f.A), 70), oneLine(string(f.B), 70))
					}
				}
				if len(all) == 0 {
					d.say("It was never changed.")
				}
			})
		},
	}
}

func (d *door) insights() *cobra.Command {
	return &cobra.Command{
		Use:   "insights",
		Short: "Count what the vault holds, by type, month, confidence and model",
		Args:  exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			svc, err := d.unlocked(cmd.Context())
			if err != nil {
				return err
			}
			in, err := svc.Insights(cmd.Context())
			if err != nil {
				return err
			}
			return d.answer(in, func() {
				d.say("%s: %d fading, %d untouched for a year, %s", count(in.Memories, "memory", "memories"), in.Fading, in.Stale, count(in.Contradicting, "contradiction", "contradictions"))
				var lines []string
				for kind, statuses := range in.Types {
					for status, n := range statuses {
						lines = append(lines, fmt.Sprintf("%s, %s: %d", kind, status, n))
					}
				}
				slices.Sort(lines)
				for _, line := range lines {
					d.say("%s", line)
				}
			})
		},
	}
}
