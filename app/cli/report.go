package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"keepsake/backend/core"

	"github.com/spf13/cobra"
)

func (d *door) report() *cobra.Command {
	return &cobra.Command{
		Use:   "report",
		Short: "Report what the vault holds about you, by category and where it is from",
		Long:  "Counts everything that is held about you, by the categories of the Personal Memory Specification. The words themselves leave with keepsake export personal.\nThat a report was made stands in the log.",
		Args:  exactly(0),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, _ []string) error {
			held, err := svc.Held(ctx)
			return d.answerUnless(err, held, func() {
				for _, c := range held.Categories {
					d.say("%-16s %8s  %s", c.Category, grouped(c.Count), sources(c.Platforms))
				}
				d.say("%s, %s, %s, %s.", count(held.Messages, "message", "messages"), count(held.Relations, "relation", "relations"),
					count(held.Tasks, "task", "tasks"), count(held.Proposals, "proposal", "proposals"))
				d.say("Beside them: %s, %s, %s, %s, and %s in the log.", count(held.Imports, "report of an import", "reports of imports"), count(held.Exports, "note of an export", "notes of exports"),
					count(held.Receipts, "receipt", "receipts"), count(held.Embeddings, "embedding", "embeddings"), count(held.LogEntries, "entry", "entries"))
			})
		}),
	}
}

// sources says where things are from, by name.
func sources(platforms map[string]int) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(platforms)) {
		parts = append(parts, fmt.Sprintf("%s %s", name, grouped(platforms[name])))
	}
	return strings.Join(parts, ", ")
}
