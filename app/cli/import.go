package cli

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"keepsake/backend/core"
	"keepsake/backend/fault"
)

func (d *door) importCommand() *cobra.Command {
	var o core.ImportOptions
	var only, conflict, merge string
	yes := false
	var file fileIn
	cmd := &cobra.Command{
		Use:   "import PATH…",
		Short: "Read exports of AI assistants into the vault",
		Long:  "Reads exports, memory files and session files. A single dash is standard input: text copied out of an assistant.",
		Args:  atLeastOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := setOnly(&o, only); err != nil {
				return err
			}
			if err := setOnConflict(&o, conflict); err != nil {
				return err
			}
			if merge != "" {
				strategy, err := oneOf("merge", core.Merge(merge), core.Merges())
				if err != nil {
					return err
				}
				o.Merge = strategy
			}
			svc, err := d.unlocked(cmd.Context())
			if err != nil {
				return err
			}
			in, err := d.inputsAnd(cmd.Context(), svc, args, &file)
			if err != nil {
				return err
			}
			if asksFirst(o) {
				if err := d.agree(cmd.Context(), svc, in, o, yes); err != nil {
					return err
				}
			}
			report, err := svc.Import(cmd.Context(), in, o, d.progressTo())
			if err != nil {
				return reading(err)
			}
			if o.DryRun {
				return d.answer(report, func() { d.sayDryRun(report) })
			}
			return d.finishImport(cmd.Context(), svc, report, o.Strict)
		},
	}
	flags := cmd.Flags()
	file.register(flags)
	flags.BoolVar(&o.DryRun, "dry-run", false, "say what would be taken, write nothing")
	flags.StringVar(&o.Provider, "provider", "", "read it with this importer instead of detecting one")
	flags.StringVar(&file.account, "account", "", "whose exports they are, where they do not say so themselves: a name of your own for one of several accounts")
	flags.StringVar(&only, "only", "", "memories or conversations")
	flags.StringVar(&conflict, "on-conflict", "keep", "of what a file has in another version, and may not change by its signature or was changed here as well: keep, theirs or both; theirs shows every change and asks")
	flags.StringArrayVar(&o.Take, "take", nil, "ID of a memory, conversation or task that is to become as the file has it, access and all; shows the change and asks; can be given again")
	flags.BoolVar(&yes, "yes", false, "take what --take, --on-conflict theirs or --merge overwrite takes without asking")
	flags.StringVar(&merge, "merge", "", "of memories and tasks that are here already, by their ids: skip_duplicates (MIF files, unless said otherwise), overwrite (shows every change and asks) or rename")
	flags.BoolVar(&o.AcceptBroken, "accept-broken", false, "take a PAM file although its signature or its sums are wrong")
	flags.BoolVar(&o.AcceptUnsigned, "accept-unsigned", false, "take a PAM file although it says that it is from somebody whose key is known, and is not signed by it; nothing it says replaces anything")
	flags.BoolVar(&o.AnyBase, "any-base", false, "take an incremental PAM file although what it builds on is not known here")
	flags.BoolVar(&o.KeepOriginal, "keep-original", false, "seal the files themselves into the vault, so that a newer version can read them again")
	flags.BoolVar(&o.Strict, "strict", false, "exit 1 when any item could not be read")
	return cmd
}

// finishImport waits for what nobody is here to go on with later, and answers.
func (d *door) finishImport(ctx context.Context, svc *core.Service, report core.ImportReport, strict bool) error {
	err := svc.WaitForIndex(ctx)
	if fault.CodeOf(err) == fault.TooLarge {
		d.note("%s %s", fault.From(err).Message(), fault.From(err).Advice())
	} else if err != nil {
		return err
	}
	err = d.answer(report, func() { d.sayReport(report) })
	if err := orNotSo(err, !strict || len(report.Problems) == 0); err != nil {
		return err
	}
	return d.sayCopy(svc.SettleCopies(ctx)) // nor to make the vault's own copy
}

// sayCopy tells that there was no room for the vault's own copy: the import is done
// all the same, and what the fault says of its step is of the copy alone.
func (d *door) sayCopy(err error) error {
	if fault.CodeOf(err) == fault.TooLarge {
		d.note(noCopy)
		return nil
	}
	return err
}

const noCopy = "What was imported is stored. Only the vault's own copy of itself could not be made, because the disk is full. Make room; the next import makes the copy."

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

// inputsAnd is file.inputs, with a dash as what comes in on standard input.
func (d *door) inputsAnd(ctx context.Context, svc *core.Service, args []string, file *fileIn) ([]core.Input, error) {
	in, err := file.inputs(d, args)
	if err != nil {
		return nil, err
	}
	for i, arg := range args {
		if arg != "-" {
			continue
		}
		pasted, err := d.stdin()
		if err != nil {
			return nil, err
		}
		id, _, err := svc.AddUpload(ctx, "pasted.txt", pasted)
		if err != nil {
			return nil, err
		}
		in[i] = core.Input{Upload: id, Fallback: "pasted", Account: file.account}
	}
	return in, nil
}

func setOnConflict(o *core.ImportOptions, conflict string) error {
	switch mode := core.OnConflict(conflict); mode {
	case core.KeepOurs, core.TakeTheirs, core.KeepBoth:
		o.OnConflict = mode
		return nil
	}
	return fault.New(fault.Invalid, "bad-on-conflict", "--on-conflict takes keep, theirs or both, not {value}.").With("value", conflict)
}

// progressTo says how progress is told: as JSON lines, as one moving line on a
// terminal, or not at all.
func (d *door) progressTo() func(core.Progress) {
	if d.progress == "json" {
		return func(p core.Progress) { d.tellJSON(p) }
	}
	if !isTerminal(d.env.Stderr) {
		return nil
	}
	return func(p core.Progress) {
		percent := int64(100)
		if p.Total > 0 {
			percent = 100 * p.Done / p.Total
		}
		end := oneOrOther(p.Phase == core.PhaseFinished, "\n", "")
		d.tellLine(grouped(int(percent)) + "%  " +
			count(p.Conversations, "conversation", "conversations") + ", " + count(p.Memories, "memory", "memories") + "  " + end)
	}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func (d *door) sayReport(r core.ImportReport) {
	d.sayTaken(r, "Read %s and found %s.", "Found %s.")
	told := map[string]bool{}
	for _, s := range r.Sources {
		if !s.Uploaded && s.Provider != "" && !told[s.Path] {
			told[s.Path] = true
			d.sayOriginal(s.Path)
		}
	}
	if !r.Changed {
		d.say("Import %s, %s. It changed nothing.", r.ImportID, r.State)
		return
	}
	d.say("Import %s, %s. Undo it with: keepsake undo-import %[1]s", r.ImportID, r.State)
}

func (d *door) sayDryRun(r core.ImportReport) {
	for _, s := range r.Sources {
		d.sayIf(s.Provider != "", "%s: %s (%s)", s.Path, s.Provider, s.Format)
		for _, id := range s.Accounts {
			d.say("  account: %s", calledAccount(id, s.AccountNames))
		}
		d.sayIf(s.Account != "", "  account: %s", s.Account)
		for _, m := range s.Missing {
			d.say("  missing: %s", oneLine(m, 200))
		}
	}
	d.sayTaken(r, "An import would read %s and find %s.", "An import would find %s.")
	d.say("Nothing was written.")
}

// sayTaken tells what came of the items of an import, done or planned; only is for
// files that hold memories alone.
func (d *door) sayTaken(r core.ImportReport, read, only string) {
	for _, s := range r.Sources {
		d.sayIf(s.Verdict != "", "%s: %s", s.Path, verdictWord(s.Verdict))
	}
	c, m := r.Conversations, r.Memories
	d.sayIf(r.Identical != "", "You imported this very file before (%s), so nothing was read again. What follows is what it holds.", r.Identical)
	if found := count(m.New, "new memory", "new memories"); c.New+c.Updated+c.Unchanged+c.Skipped == 0 && m.New+m.Updated+m.Merged+m.Unchanged > 0 {
		d.say(only, found)
	} else {
		d.say(read, count(c.New+c.Updated, "conversation", "conversations"), found)
	}
	d.sayIf(c.Updated+m.Updated > 0, "Newer than in the vault: %s, %s.", count(c.Updated, "conversation", "conversations"), count(m.Updated, "memory", "memories"))
	if known := m.Merged - m.Repeated + m.Unchanged; c.Unchanged+known > 0 {
		d.say("Already in the vault: %s, %s.", count(c.Unchanged, "conversation", "conversations"), count(known, "statement", "statements"))
	}
	d.sayIf(c.United > 0, "Put together of versions that each lack messages of another: %s.", count(c.United, "conversation", "conversations"))
	d.sayIf(m.Repeated > 0, "%s repeated others of the same export.", count(m.Repeated, "statement", "statements"))
	d.sayIf(m.Retracted > 0, "Retracted, as the export asks: %s.", count(m.Retracted, "memory", "memories"))
	d.sayIf(m.Kept > 0, "Otherwise in the files, and left as they are here: %s.", count(m.Kept, "memory", "memories"))
	d.sayChanges(r)
	if n := r.Relations; n.New > 0 {
		d.say("Relations: %s new.", grouped(n.New))
	}
	if n := r.Todos; n.New+n.Updated > 0 {
		d.say("Tasks: %s new, %s changed.", grouped(n.New), grouped(n.Updated))
	}
	d.sayIf(c.Skipped > 0, "Left out: %s.", count(c.Skipped, "conversation", "conversations"))
	d.sayAttachments(r)
	d.sayCounts("Left out, and why", skippedIn(r.Ledger))
	d.sayOtherFiles(r)
	d.sayCounts("Not known", r.Unknown)
	d.sayCounts("Answers without text, by what they hold", r.AnswersWithoutText)
	for _, p := range r.Problems {
		if p.Code == fault.Conflict {
			continue // told with the changes
		}
		d.say("Problem: %s: %s", placed(oneLine(p.Path, 80), p.At), oneLine(p.Message, 300))
	}
	if more := r.ProblemCount - len(r.Problems); more > 0 {
		d.say("And %s more problems.", grouped(more))
	}
}

// skippedIn is what was left out of all sources, by the reason.
func skippedIn(ledger []core.LedgerRow) map[string]int {
	all := map[string]int{}
	for _, e := range ledger {
		for reason, n := range e.Skipped {
			all[reason] += n
		}
	}
	return all
}

// sayOtherFiles names the first of the files that nothing was read of.
func (d *door) sayOtherFiles(r core.ImportReport) {
	for _, f := range r.OtherFiles {
		path, size := oneLine(f.Path, 120), count(int(f.Size), "byte", "bytes")
		if f.LooksLike != "" {
			d.say("Nothing was read of %s (%s). By itself it looks like %s.", path, size, oneLine(f.LooksLike, 80))
			continue
		}
		d.say("Nothing was read of %s (%s).", path, size)
	}
	if more := skippedIn(r.Ledger)["other-file"] - len(r.OtherFiles); more > 0 && len(r.OtherFiles) > 0 {
		d.say("And of %s more.", count(more, "file", "files"))
	}
}

// sayAttachments counts files. A plan stores none, so it tells only what the
// export lacks.
func (d *door) sayAttachments(r core.ImportReport) {
	switch a := r.Attachments; {
	case a.Stored > 0:
		d.say("Attachments: %s stored, %s not in the export.", grouped(a.Stored), grouped(a.Missing))
	case a.Missing > 0:
		d.say("Attachments: %s not in the export.", grouped(a.Missing))
	}
}

// placed is a file and, where it is known, the place in it.
func placed(path, at string) string {
	if at == "" {
		return path
	}
	return path + ", " + oneLine(at, 80)
}

// sayOriginal reminds of the export itself, and of who else can read it.
func (d *door) sayOriginal(path string) {
	who := oneOrOther(isOpenToAll(path), ", readable by anyone who can use this computer", "")
	d.say("The original still lies in %s%s.", path, who)
}

// isOpenToAll reports that other accounts can read a file or look into a
// folder, and get there. Windows has lists in place of modes and is not judged.
func isOpenToAll(path string) bool {
	at, err := filepath.Abs(path)
	if err != nil || runtime.GOOS == "windows" {
		return false
	}
	const read, enter fs.FileMode = 0o044, 0o011
	want := read
	for {
		info, err := os.Stat(at)
		if err != nil || info.Mode()&want == 0 {
			return false
		}
		if at == filepath.Dir(at) {
			return true
		}
		at, want = filepath.Dir(at), enter
	}
}
