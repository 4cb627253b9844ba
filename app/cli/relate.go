package cli

import (
	"context"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
	"keepsake/backend/memory"
)

func (d *door) relate() *cobra.Command {
	var changes string
	cmd := &cobra.Command{
		Use:   "relate FROM TYPE TO | --change RELATION TYPE",
		Short: "Relate two memories: supports, contradicts, extends, supersedes, related_to, derived_from",
		Long:  "Relate two memories: supports, contradicts, extends, supersedes, related_to, derived_from.\nWith --change a relation that is there gets another type; list relations shows their ids.",
		Args: func(cmd *cobra.Command, args []string) error {
			if changes != "" {
				return exactly(1)(cmd, args)
			}
			return exactly(3)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if changes != "" {
				return d.changeRelation(cmd.Context(), changes, args[0])
			}
			t, err := oneOf("relation type", memory.RelationType(args[1]), memory.RelationTypes())
			if err != nil {
				return err
			}
			svc, err := d.unlocked(cmd.Context())
			if err != nil {
				return err
			}
			rel, err := svc.Relate(cmd.Context(), args[0], t, args[2])
			return d.answerUnless(err, rel, func() { d.say("Related as %s.", rel.ID) })
		},
	}
	cmd.Flags().StringVar(&changes, "change", "", "id of a relation that is to be of another type")
	return cmd
}

func (d *door) changeRelation(ctx context.Context, id, kind string) error {
	t, err := oneOf("relation type", memory.RelationType(kind), memory.RelationTypes())
	if err != nil {
		return err
	}
	svc, err := d.unlocked(ctx)
	if err != nil {
		return err
	}
	rel, err := svc.ChangeRelation(ctx, id, t)
	return d.answerUnless(err, rel, func() { d.say("%s is %s now.", rel.ID, rel.Type) })
}

func (d *door) unrelate() *cobra.Command {
	return &cobra.Command{
		Use:   "unrelate ID",
		Short: "Remove a relation",
		Args:  exactly(1),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, args []string) error {
			err := svc.Unrelate(ctx, args[0])
			return d.answerUnless(err, map[string]string{"removed": args[0]}, func() { d.say("Removed %s.", args[0]) })
		}),
	}
}
