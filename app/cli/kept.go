package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
	"keepsake/backend/fault"
)

// keep keeps a hand-off in a file.
func (d *door) keep(ctx context.Context, target, file string, o core.HandoffOptions) error {
	svc, err := d.unlocked(ctx)
	if err != nil {
		return err
	}
	k, err := svc.KeepHandoff(ctx, target, file, o)
	return d.answerUnless(err, k, func() {
		d.say("%s is kept up to date for the circle %s: %s now. It is written when memories change while Keepsake is open and unlocked.", k.File, k.Circle, count(k.Memories, "memory", "memories"))
		d.say("Anybody who reads the file reads them. keepsake kept stop takes them out.")
		d.sayIf(isInRepository(k.File), "The file lies in a Git repository: what is committed and pushed from there leaves this computer.")
	})
}

// isInRepository reports a file below a folder that Git keeps.
func isInRepository(file string) bool {
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

func (d *door) kept() *cobra.Command {
	return parent("kept", "Say in which files hand-offs are kept up to date", d.keptList(), d.keptStop())
}

func (d *door) keptList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the files in which hand-offs are kept",
		Args:  exactly(0),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, _ []string) error {
			all, err := svc.KeptFiles(ctx)
			return d.answerUnless(err, listOf(viewsOfKept(all), len(all)), func() {
				for _, k := range all {
					d.say("%s: %s of the circle %s, %s, written %s", k.File, k.Target, k.Circle, count(k.Memories, "memory", "memories"), when(k.Written))
					d.sayIf(k.Stopped != nil, "  not written any more: %s", messageOf(k.Stopped))
				}
				d.sayIf(len(all) == 0, "No file is kept. keepsake handoff claude-md --for CIRCLE --keep FILE keeps one.")
			})
		}),
	}
}

// keptView is the JSON of a kept file: why it is not written any more is its sentence there.
type keptView struct {
	core.KeptFile
	Stored  *struct{} `json:"why,omitempty"` // in place of the fault
	Stopped string    `json:"stopped,omitempty"`
}

func viewsOfKept(all []core.KeptFile) []keptView {
	views := make([]keptView, len(all))
	for i, k := range all {
		views[i] = keptView{KeptFile: k, Stopped: messageOf(k.Stopped)}
	}
	return views
}

// messageOf is the sentence of a fault, "" of none.
func messageOf(f *fault.Error) string {
	if f == nil {
		return ""
	}
	return f.Message()
}

// keptStopView is the JSON of kept stop.
type keptStopView struct {
	File string `json:"file"`
	Left string `json:"left,omitempty"` // why the file stayed as it is
}

func (d *door) keptStop() *cobra.Command {
	var leave bool
	cmd := &cobra.Command{
		Use:   "stop FILE",
		Short: "Keep a file no longer, and take out what was written there",
		Args:  exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[0] == "" {
				return usageError{errors.New("name a file; keepsake kept list shows them")}
			}
			svc, err := d.unlocked(cmd.Context())
			if err != nil {
				return err
			}
			left, err := svc.StopKeeping(cmd.Context(), args[0], leave)
			return d.answerUnless(err, keptStopView{args[0], messageOf(left)}, func() {
				d.say("%s is not kept any more.", args[0])
				d.sayIf(left != nil, "What stands there stayed: %s", messageOf(left))
			})
		},
	}
	cmd.Flags().BoolVar(&leave, "leave-text", false, "leave the text there, and take out the two marker lines alone")
	return cmd
}
