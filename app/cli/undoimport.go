package cli

import (
	"context"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
)

func (d *door) undoImport() *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "undo-import ID",
		Short: "Take one import back, however much came after it",
		Long:  "Takes back what an import brought. What other imports brought, too, stays, and so does what was edited since;\nthe answer says how much. keepsake imports lists the ids.",
		Args:  exactly(1),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, args []string) error {
			if dryRun {
				plan, err := svc.PlanUndoImport(ctx, args[0])
				return d.answerUnless(err, plan, func() {
					d.sayUndone(plan, "This would take out %s and %s.")
					d.say("Nothing was changed.")
				})
			}
			done, err := svc.UndoImport(ctx, args[0])
			return d.answerUnless(err, done, func() { d.sayUndone(done, "Took out %s and %s.") })
		}),
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "say what would go and what would stay, change nothing")
	return cmd
}

// sayUndone tells what taking an import back does.
func (d *door) sayUndone(u core.ImportUndo, took string) {
	d.say(took, count(u.Conversations, "conversation", "conversations"), count(u.Memories, "memory", "memories"))
	if u.Relations+u.Proposals+u.Attachments > 0 {
		d.say("With them: %s, %s, %s.", count(u.Relations, "relation", "relations"),
			count(u.Proposals, "proposal", "proposals"), count(u.Attachments, "attachment", "attachments"))
	}
	if u.ConversationsBack+u.MemoriesBack > 0 {
		d.say("Back as before the import: %s, %s.", count(u.ConversationsBack, "conversation", "conversations"), count(u.MemoriesBack, "memory", "memories"))
	}
	d.sayIf(u.Shared > 0, "Came from another import, too, and stays: %s.", count(u.Shared, "memory or conversation", "memories and conversations"))
	d.sayIf(u.Kept > 0, "Edited since, and stays as it is: %s.", count(u.Kept, "memory", "memories"))
	for _, e := range u.Edited {
		d.say("  %s  %s", e.ID, oneLine(e.Text, 80))
	}
}
