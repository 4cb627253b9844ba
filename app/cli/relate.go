package cli

import (
	"github.com/spf13/cobra"

	"keepsake/backend/memory"
)

func (d *door) relate() *cobra.Command {
	return &cobra.Command{
		Use:   "relate FROM TYPE TO",
		Short: "Relate two memories: supports, contradicts, extends, supersedes, related_to, derived_from",
		Args:  exactly(3),
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := oneOf("relation type", memory.RelationType(args[1]), memory.RelationTypes())
			if err != nil {
				return err
			}
			svc, err := d.unlocked(cmd.Context())
			if err != nil {
				return err
			}
			rel, err := svc.Relate(cmd.Context(), args[0], t, args[2])
			if err != nil {
				return err
			}
			return d.answer(rel, func() { d.say("Related as %s.", rel.ID) })
		},
	}
}

func (d *door) unrelate() *cobra.Command {
	return &cobra.Command{
		Use:   "unrelate ID",
		Short: "Remove a relation",
		Args:  exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, err := d.unlocked(cmd.Context())
			if err != nil {
				return err
			}
			if err := svc.Unrelate(cmd.Context(), args[0]); err != nil {
				return err
			}
			return d.answer(map[string]string{"removed": args[0]}, func() { d.say("Removed %s.", args[0]) })
		},
	}
}
