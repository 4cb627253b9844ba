package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
	"keepsake/backend/memory"
)

func (d *door) grants() *cobra.Command {
	return parent("grants", "Say who may read which memories", d.grantsList(), d.grantsGive(), d.grantsTake())
}

func (d *door) grantsList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List everybody that memories are shared with",
		Args:  exactly(0),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, _ []string) error {
			all, err := svc.Grants(ctx)
			return d.answerUnless(err, listOf(all, len(all)), func() {
				for _, e := range all {
					d.say("%s: may read %s, change %d, delete %d", e.Entity, count(e.Read, "memory", "memories"), e.Write, e.Delete)
				}
				d.sayIf(len(all) == 0, "No memory is shared with anybody.")
			})
		}),
	}
}

func (d *door) grantsGive() *cobra.Command {
	var permissions []string
	cmd := &cobra.Command{
		Use:   "give ID ENTITY",
		Short: "Share a memory with somebody",
		Args:  exactly(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return d.grant(cmd.Context(), args[0], args[1], permissions)
		},
	}
	cmd.Flags().StringSliceVar(&permissions, "permissions", []string{"read"}, "read, write, delete")
	return cmd
}

func (d *door) grantsTake() *cobra.Command {
	return &cobra.Command{
		Use:   "take ID ENTITY",
		Short: "Share a memory with somebody no longer",
		Args:  exactly(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return d.grant(cmd.Context(), args[0], args[1], nil)
		},
	}
}

func (d *door) grant(ctx context.Context, id, entity string, permissions []string) error {
	svc, err := d.unlocked(ctx)
	if err != nil {
		return err
	}
	r, err := svc.Grant(ctx, id, entity, permissions)
	return d.answerUnless(err, r, func() {
		d.say("%s is %s, and shared with %s.", r.ID, r.Access.Visibility, sharers(r.Access.SharedWith))
	})
}

// sharers names whom a memory is shared with.
func sharers(grants []memory.Grant) string {
	names := make([]string, len(grants))
	for i, g := range grants {
		names[i] = oneLine(g.Entity, 60)
	}
	if len(names) == 0 {
		return "nobody"
	}
	return strings.Join(names, ", ")
}
