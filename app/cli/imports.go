package cli

import (
	"context"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
)

func (d *door) imports() *cobra.Command {
	return &cobra.Command{
		Use:   "imports",
		Short: "List what was imported",
		Args:  exactly(0),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, _ []string) error {
			reports, err := svc.Imports(ctx)
			return d.answerUnless(err, listOf(reports, len(reports)), func() {
				for _, r := range reports {
					d.say("%s  %s  %s  %s, %s%s", r.ImportID, r.StartedAt, r.State,
						count(r.Conversations.New+r.Conversations.Updated, "conversation", "conversations"),
						count(r.Memories.New, "new memory", "new memories"), openWord(r))
				}
				d.say("%s", count(len(reports), "import", "imports"))
			})
		}),
	}
}

// openWord is what a line says of an import that broke off.
func openWord(r core.ImportReport) string {
	return oneOrOther(r.Open, "  (not finished: import the same files again, and only the rest is read)", "")
}

// items is the JSON form of every list.
type items[T any] struct {
	Items []T `json:"items"`
	Total int `json:"total"`
}

func listOf[T any](list []T, total int) items[T] {
	if list == nil {
		list = []T{}
	}
	return items[T]{list, total}
}
