package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"keepsake/backend/memory"
)

func (d *door) circlesGive() *cobra.Command {
	var permissions []string
	cmd := &cobra.Command{
		Use:   "give ID CIRCLE",
		Short: "Put a memory into a circle, with what its members may do with it",
		Args:  exactly(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return d.grant(cmd.Context(), args[0], args[1], permissions)
		},
	}
	cmd.Flags().StringSliceVar(&permissions, "permissions", []string{"read"}, "read, write, delete")
	return cmd
}

func (d *door) circlesTake() *cobra.Command {
	return &cobra.Command{
		Use:   "take ID CIRCLE",
		Short: "Take a memory out of a circle",
		Args:  exactly(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return d.grant(cmd.Context(), args[0], args[1], nil)
		},
	}
}

func (d *door) grant(ctx context.Context, id, circle string, permissions []string) error {
	svc, err := d.unlocked(ctx)
	if err != nil {
		return err
	}
	r, err := svc.Grant(ctx, id, circle, permissions)
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
