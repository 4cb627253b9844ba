package cli

import (
	"context"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
)

func (d *door) topics() *cobra.Command {
	var s selection
	cmd := &cobra.Command{
		Use:   "topics",
		Short: "List what the memories are about",
		Long: "Active memories that are close in meaning, the largest group first, each named by words of its own memories. A\n" +
			"guess: a memory is in one topic at most, and one that is near to none is in none. --json has the ids, those that\n" +
			"are most about the topic first.",
		Args: exactly(0),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, _ []string) error {
			if err := s.checkWindow(); err != nil {
				return err
			}
			if err := svc.MakeVectors(ctx, 0); err != nil {
				return err
			}
			all, err := svc.Topics(ctx)
			if err != nil {
				return err
			}
			return d.listedTopics(all, s.limit)
		}),
	}
	cmd.Flags().IntVar(&s.limit, "limit", 0, "at most so many; 0: all")
	return cmd
}

// topicsView is the JSON of topics.
type topicsView struct {
	Topics  []topicView `json:"topics"`
	Total   int         `json:"total"`
	Missing int         `json:"missing,omitempty"` // records that are not compared yet
}

type topicView struct {
	Name     string   `json:"name"`
	Count    int      `json:"count"`
	Memories []string `json:"memories"` // ids
}

func (d *door) listedTopics(all core.Topics, limit int) error {
	if limit == 0 {
		limit = len(all.All)
	}
	view := topicsView{Topics: []topicView{}, Total: len(all.All), Missing: all.Missing}
	for _, t := range all.All[:min(limit, len(all.All))] {
		view.Topics = append(view.Topics, topicView{t.Name, len(t.Memories), t.Memories})
	}
	err := d.answer(view, func() {
		for _, t := range view.Topics {
			d.say("%s: %s", oneLine(t.Name, 100), count(t.Count, "memory", "memories"))
		}
		d.say("%s", outOf(len(view.Topics), view.Total, "topic", "topics"))
		d.noteMissing(view.Missing)
	})
	return orNotSo(err, len(all.All) > 0)
}
