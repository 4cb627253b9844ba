package cli

import (
	"github.com/spf13/cobra"
)

func (d *door) imports() *cobra.Command {
	return &cobra.Command{
		Use:   "imports",
		Short: "List what was imported",
		Args:  exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			svc, err := d.unlocked(cmd.Context())
			if err != nil {
				return err
			}
			reports, err := svc.Imports(cmd.Context())
			if err != nil {
				return err
			}
			return d.answer(listOf(reports, len(reports)), func() {
				for _, r := range reports {
					d.say("%s  %s  %s  %s, %s", r.ImportID, r.StartedAt, r.State,
						count(r.Conversations.New+r.Conversations.Updated, "conversation", "conversations"),
						count(r.Memories.New, "memory", "memories"))
				}
				d.say("%s", count(len(reports), "import", "imports"))
			})
		},
	}
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
