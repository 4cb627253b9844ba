package cli

import (
	"encoding/json"
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"keepsake/backend/core"
	"keepsake/backend/fault"
)

func (d *door) importCommand() *cobra.Command {
	var o core.ImportOptions
	var dryRun bool
	var only string
	cmd := &cobra.Command{
		Use:   "import PATH…",
		Short: "Read exports of AI assistants into the vault",
		Args:  atLeast(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := setOnly(&o, only); err != nil {
				return err
			}
			svc, err := d.unlocked(cmd.Context())
			if err != nil {
				return err
			}
			if dryRun {
				plan, err := svc.PlanImport(cmd.Context(), inputs(args), o)
				if err != nil {
					return reading(err)
				}
				return d.answerPlan(plan)
			}
			report, err := svc.Import(cmd.Context(), inputs(args), o, d.progressTo())
			if err != nil {
				return reading(err)
			}
			if err := svc.WaitForIndex(cmd.Context()); err != nil { // nobody is here to go on with it later
				return err
			}
			return d.answerReport(report, o.Strict)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&dryRun, "dry-run", false, "say what would be taken, write nothing")
	flags.StringVar(&o.Provider, "provider", "", "read it with this importer instead of detecting one")
	flags.StringVar(&only, "only", "", "memories or conversations")
	flags.BoolVar(&o.Strict, "strict", false, "exit 1 when any item could not be read")
	return cmd
}

func setOnly(o *core.ImportOptions, only string) error {
	switch only {
	case "":
	case "memories":
		o.OnlyMemories = true
	case "conversations":
		o.OnlyConversations = true
	default:
		return fault.New(fault.Invalid, "bad-only", "--only takes memories or conversations, not {value}.").With("value", only)
	}
	return nil
}

func inputs(paths []string) []core.Input {
	in := make([]core.Input, len(paths))
	for i, p := range paths {
		in[i] = core.Input{Path: p}
	}
	return in
}

// progressTo says how progress is told: as JSON lines, as one moving line on a
// terminal, or not at all.
func (d *door) progressTo() func(core.Progress) {
	if d.progress == "json" {
		enc := json.NewEncoder(d.env.Stderr)
		return func(p core.Progress) { _ = enc.Encode(p) }
	}
	if !isTerminal(d.env.Stderr) {
		return nil
	}
	return func(p core.Progress) {
		percent := int64(100)
		if p.Total > 0 {
			percent = 100 * p.Done / p.Total
		}
		end := ""
		if p.Phase == core.PhaseFinished {
			end = "\n"
		}
		_, _ = io.WriteString(d.env.Stderr, "\r"+grouped(int(percent))+"%  "+
			count(p.Conversations, "conversation", "conversations")+", "+count(p.Memories, "memory", "memories")+"  "+end)
	}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func (d *door) answerReport(r core.ImportReport, strict bool) error {
	if err := d.answer(r, func() { d.sayReport(r) }); err != nil {
		return err
	}
	if strict && len(r.Problems) > 0 {
		return errNotSo
	}
	return nil
}

func (d *door) sayReport(r core.ImportReport) {
	read := r.Conversations.New + r.Conversations.Updated
	d.say("Read %s and found %s.", count(read, "conversation", "conversations"), count(r.Memories.New, "new memory", "new memories"))
	if r.Conversations.Unchanged > 0 || r.Memories.Merged+r.Memories.Unchanged > 0 {
		d.say("Already in the vault: %s, %s.", count(r.Conversations.Unchanged, "conversation", "conversations"),
			count(r.Memories.Merged+r.Memories.Unchanged, "memory", "memories"))
	}
	if r.Attachments.Stored+r.Attachments.Missing > 0 {
		d.say("Attachments: %s stored, %s not in the export.", grouped(r.Attachments.Stored), grouped(r.Attachments.Missing))
	}
	for _, p := range r.Problems {
		d.say("Not read: %s %s: %s", oneLine(p.Path, 80), p.At, oneLine(p.Message, 200))
	}
	for _, s := range r.Sources {
		d.say("The original still lies in %s, readable by anyone who can use this computer.", printable(s.Path))
	}
	d.say("Import %s, %s. Undo it with: keepsake undo", r.ImportID, r.State)
}
