package cli

import (
	"context"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
	"keepsake/backend/memory"
)

func (d *door) setStatus() *cobra.Command {
	var by string
	cmd := &cobra.Command{
		Use:   "set-status ID NEW",
		Short: "Move a memory along its lifecycle",
		Args:  exactly(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			next, err := oneOf("status", memory.Status(args[1]), memory.Statuses())
			if err != nil {
				return err
			}
			return d.moveTo(cmd.Context(), args[0], next, by)
		},
	}
	cmd.Flags().StringVar(&by, "by", "", "id of the memory that replaces it (superseded)")
	return cmd
}

// shortStatus is a short form of set-status: retract ID, archive ID.
func (d *door) shortStatus(verb string) *cobra.Command {
	next := map[string]memory.Status{"retract": memory.Retracted, "archive": memory.Archived}[verb]
	short := map[string]string{
		"retract": "Mark a memory as no longer true; the record stays",
		"archive": "Keep a memory for history only",
	}[verb]
	return &cobra.Command{
		Use:   verb + " ID",
		Short: short,
		Args:  exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return d.moveTo(cmd.Context(), args[0], next, "")
		},
	}
}

func (d *door) undoStatus() *cobra.Command {
	return &cobra.Command{
		Use:   "undo-status ID",
		Short: "Take back the last step of a memory's lifecycle, such as a retraction",
		Args:  exactly(1),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, args []string) error {
			r, err := svc.UndoStatus(ctx, args[0])
			return d.answerUnless(err, r, func() { d.say("%s is %s again.", r.ID, r.Status) })
		}),
	}
}

func (d *door) supersede() *cobra.Command {
	var by string
	cmd := &cobra.Command{
		Use:   "supersede ID --by OTHER",
		Short: "Say that a newer memory replaces this one",
		Args:  exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return d.moveTo(cmd.Context(), args[0], memory.Superseded, by)
		},
	}
	cmd.Flags().StringVar(&by, "by", "", "id of the memory that replaces it")
	_ = cmd.MarkFlagRequired("by")
	return cmd
}

func (d *door) moveTo(ctx context.Context, id string, next memory.Status, by string) error {
	svc, err := d.unlocked(ctx)
	if err != nil {
		return err
	}
	r, err := svc.SetStatus(ctx, id, next, by)
	return d.answerUnless(err, r, func() { d.say("%s is now %s.", r.ID, r.Status) })
}
