package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
	"keepsake/backend/fault"
)

func (d *door) check() *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Read and decrypt everything in the vault, and say what is not whole",
		Long:  "Read and decrypt everything in the vault: every page of its file, every record, the search index,\nevery attachment, the log, and the vault's own copies. Nothing is changed, but that a damaged copy is made anew.",
		Args:  exactly(0),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, _ []string) error {
			found, err := svc.CheckVault(ctx, nil)
			if err != nil {
				return err
			}
			if err := d.answer(viewCheck(found), func() { d.sayCheck(found) }); err != nil || found.Whole() {
				return err
			}
			d.renewCopies(ctx, svc, found)
			return damagedError{}
		}),
	}
}

// renewCopies makes a new copy of a vault that is whole in place of a damaged one.
func (d *door) renewCopies(ctx context.Context, svc *core.Service, found core.Check) {
	other := func(p core.DamagedPart) bool { return p.What != vaultCopy }
	if len(found.Damaged) == 0 || slices.ContainsFunc(found.Damaged, other) {
		return
	}
	if err := svc.SettleCopies(ctx); err != nil {
		f := fault.From(err)
		d.note("No new copy could be made: %s %s", f.Message(), f.Advice())
		return
	}
	d.note("The vault itself is whole. A new copy of it was made and read back; the damaged one is gone.")
}

// vaultCopy is what a damaged copy of the vault is called in a check.
const vaultCopy = "copy"

// checkView is a check as JSON: each damaged part with its sentence.
type checkView struct {
	core.Check
	Whole   bool          `json:"whole"`
	Damaged []damagedView `json:"damaged"`
}

type damagedView struct {
	What    string `json:"what"`
	Name    string `json:"name"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

func viewCheck(c core.Check) checkView {
	v := checkView{Check: c, Whole: c.Whole(), Damaged: []damagedView{}}
	for _, p := range c.Damaged {
		v.Damaged = append(v.Damaged, damagedView{p.What, p.Name, string(p.Fault.Code), p.Fault.Message()})
	}
	return v
}

func (d *door) sayCheck(c core.Check) {
	d.say("Read %s, %s, %s of the log and %s of the vault.", count(c.Values, "sealed value", "sealed values"),
		count(c.Attachments, "attachment", "attachments"), count(c.LogEntries, "entry", "entries"), count(c.Copies, "copy", "copies"))
	for _, p := range c.Damaged {
		if p.What == vaultCopy {
			d.say("Damaged: the copy %s that the vault holds of itself: %s", p.Name, p.Fault.Message())
			continue
		}
		d.say("Damaged: %s %s: %s", p.What, p.Name, p.Fault.Message())
	}
	if n := len(c.Missing); n > 0 {
		d.say("Missing: %s that conversations name.", count(n, "attachment", "attachments"))
	}
	d.sayIf(c.Orphans > 0, "%s that nothing names; keepsake compact removes them.", count(c.Orphans, "attachment", "attachments"))
	d.sayIf(c.Whole(), "Everything is as it was written.")
}

// diagnosed hands on why a vault does not open. Where it is damaged it says
// before what is known of it, and what would bring it back.
func (d *door) diagnosed(ctx context.Context, cause error) error {
	if fault.CodeOf(cause) != fault.Damaged || d.json {
		return cause
	}
	if found, err := d.svc.Diagnose(ctx); err == nil {
		d.sayDiagnosis(found)
	}
	return cause
}

func (d *door) sayDiagnosis(found core.Diagnosis) {
	if found.Data != nil {
		d.note("The data file: %s", found.Data.Message())
	}
	if found.Header != nil {
		d.note("The header: %s", found.Header.Message())
	}
	if found.Copies == 0 {
		d.note("The vault holds no copy of itself.")
		if found.Header == nil {
			d.sayReadable()
		}
		d.note("Bring back a backup, if there is one, with: keepsake restore FILE")
		return
	}
	d.note("The vault holds %s of itself, the newest of %s, and a journal of %s since then.",
		count(found.Copies, "copy", "copies"), found.CopyAt, count(found.Changes, "change", "changes"))
	d.note("See what a restore would bring back with: keepsake restore --dry-run")
	d.note("Bring it back with: keepsake restore")
}

// damagedError ends a check that found something, once all was said.
type damagedError struct{}

func (damagedError) Error() string { return "the vault is damaged" }

func (d *door) sayReadable() {
	d.note("Write down what can still be read with: keepsake restore --readable FILE.zip")
}

func (d *door) compact() *cobra.Command {
	return &cobra.Command{
		Use:   "compact",
		Short: "Write the vault's file anew, without the room that deleted records left",
		Args:  exactly(0),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, _ []string) error {
			done, err := svc.CompactVault(ctx)
			return d.answerUnless(err, done, func() {
				d.say("The data file had %s bytes and has %s now.", grouped(int(done.Before)), grouped(int(done.After)))
				d.sayIf(done.Attachments > 0, "Removed %s that nothing named.", count(done.Attachments, "attachment", "attachments"))
			})
		}),
	}
}

func (d *door) backup() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "backup FILE",
		Short: "Write the whole vault, sealed as it is, into one file, and read it back",
		Args:  exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := onlyFile(args[0], "a backup is read back before it is believed, so it is written to a file and not to standard output"); err != nil {
				return err
			}
			if err := core.MayBackup(args[0]); err != nil {
				return err
			}
			svc, err := d.unlocked(cmd.Context())
			if err != nil {
				return err
			}
			made, err := svc.BackupVault(cmd.Context(), args[0])
			return d.answerUnless(err, made, func() {
				d.say("Wrote %s and read it back: %s", made.Path, held(made))
				d.sayMissing(made)
				d.say("It opens with this vault's passphrase or recovery key, and with nothing else.")
			})
		},
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "verify FILE",
		Short: "Decrypt and count everything in a backup",
		Args:  exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return d.withSecret(cmd.Context(), args[0], false, func(svc *core.Service, secret core.Secret) error {
				found, err := svc.VerifyBackup(cmd.Context(), core.Input{Path: args[0]}, secret)
				return d.answerUnless(reading(err), found, func() {
					d.say("The backup is whole: %s", held(found))
					d.sayMissing(found)
				})
			})
		},
	})
	return cmd
}

// held tells what is in a backup.
func held(b core.Backup) string {
	return fmt.Sprintf("%s, %s with %s, %s; as of %s.", count(b.Memories, "memory", "memories"), count(b.Conversations, "conversation", "conversations"),
		count(b.Messages, "message", "messages"), count(b.Attachments, "attachment", "attachments"), b.MadeAt)
}

// sayMissing tells what a backup does not hold because the vault lacked it.
func (d *door) sayMissing(b core.Backup) {
	if b.Missing > 0 {
		d.say("Missing: %s that conversations name and the vault did not have. Import the export again that held them, and make a new backup.",
			count(b.Missing, "attachment", "attachments"))
	}
}

// secret is the passphrase or the recovery key, without opening anything.
func (d *door) secret() (core.Secret, error) {
	if d.pass.recovery == "" {
		pass, err := d.passphrase("Passphrase: ", false)
		return core.Secret{Passphrase: pass}, err
	}
	key, err := d.lineOf(d.pass.recovery)
	defer clear(key)
	return core.Secret{Recovery: string(key)}, err
}

// withSecret does something with a vault that need not open, or with a backup.
// Where that is not there, or where the vault is to be made anew and another
// process has it, nobody is asked for its secret.
func (d *door) withSecret(ctx context.Context, backup string, restores bool, do func(*core.Service, core.Secret) error) error {
	svc, err := d.service()
	if err != nil {
		return err
	}
	if backup == "" {
		if state, err := svc.VaultState(ctx); err == nil && !state.Exists {
			return core.NoVault(state.Dir)
		}
	} else if _, err := os.Stat(backup); err != nil {
		return do(svc, core.Secret{})
	}
	if restores && d.prompts() {
		if err := svc.MayUnlock(ctx); fault.CodeOf(err) == fault.Busy { // all else is what a restore is for
			return err
		}
	}
	secret, err := d.secret()
	if err != nil {
		return err
	}
	defer clear(secret.Passphrase)
	return do(svc, secret)
}

func (d *door) restoreFrom(ctx context.Context, svc *core.Service, file string, secret core.Secret) error {
	made, err := svc.RestoreBackup(ctx, core.Input{Path: file}, secret)
	return d.answerUnless(reading(err), made, func() {
		d.say("The vault is back: %s", held(made.Backup))
		d.sayMissing(made.Backup)
		d.sayIf(made.Aside != "", "The vault that was there lies whole in %s.", made.Aside)
	})
}

func (d *door) restore() *cobra.Command {
	dry, readable := false, ""
	cmd := &cobra.Command{
		Use:   "restore [FILE]",
		Short: "Bring the vault back from a backup, or from the copies it keeps of itself",
		Long:  "With a FILE: make the vault from a backup. A vault that is there is put aside whole.\nWithout one: put the vault's damaged data file aside, and make it again from the newest good copy\nin the vault's folder and the changes since.\nWith --readable FILE: change nothing, and write what can be read of the vault, however damaged, to FILE:\nmemories and relations to one that ends in .json, conversations and attachments too to one\nthat ends in .zip or to a folder.",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := onlyFile(readable, "what can be read of a vault is written to a file or a folder, and not to standard output"); err != nil {
				return err
			}
			switch {
			case readable != "" && (len(args) > 0 || dry):
				return usageError{fmt.Errorf("--readable names the file to write, and goes with neither a backup nor --dry-run")}
			case len(args) > 0 && dry:
				return usageError{fmt.Errorf("--dry-run is for a restore without a file; backup verify looks at one")}
			case readable != "":
				if err := core.MayWrite(readable); err != nil {
					return err
				}
			}
			return d.withSecret(cmd.Context(), strings.Join(args, ""), readable == "", func(svc *core.Service, secret core.Secret) error {
				switch {
				case readable != "":
					return d.exportReadable(cmd.Context(), svc, readable, secret)
				case len(args) == 0:
					return d.recover(cmd.Context(), svc, secret, dry)
				}
				return d.restoreFrom(cmd.Context(), svc, args[0], secret)
			})
		},
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "say what would be brought back, change nothing")
	cmd.Flags().StringVar(&readable, "readable", "", "write what can be read of a damaged vault to this `FILE`, unsealed")
	return cmd
}

func (d *door) exportReadable(ctx context.Context, svc *core.Service, dest string, secret core.Secret) error {
	r, err := svc.ExportReadable(ctx, dest, secret)
	return d.answerUnless(err, r, func() {
		d.say("Wrote %s, unsigned and readable by anyone who has it: %s, %s.", r.Path, count(r.Memories, "memory", "memories"), count(r.Relations, "relation", "relations"))
		d.say("Found %s with %s and %s; they leave with a file that ends in .zip, or with a folder.", count(r.Conversations, "conversation", "conversations"),
			count(r.Messages, "message", "messages"), count(r.Attachments, "attachment", "attachments"))
		if c := r.Counted; c != nil {
			d.say("As of %s the vault held %s, %s, %s with %s.", c.At, count(c.Memories, "memory", "memories"), count(c.Relations, "relation", "relations"),
				count(c.Conversations, "conversation", "conversations"), count(c.Messages, "message", "messages"))
		}
		if n := r.Excluded["not-exportable"]; n > 0 {
			d.say("%s may not leave the vault and stayed.", count(n, "memory", "memories"))
		}
		if r.Unreadable > 0 || r.Incomplete > 0 || r.BadPages > 0 || r.LostAttachments > 0 {
			d.say("Not readable: %s, %s of the disk, %s; %s incomplete.", count(r.Unreadable, "sealed value", "sealed values"), count(r.BadPages, "page", "pages"),
				count(r.LostAttachments, "attachment", "attachments"), count(r.Incomplete, "conversation is", "conversations are"))
		}
		d.say("Things that were deleted may be among it, and older versions of what cannot be read. The vault was not changed.")
	})
}

func (d *door) recover(ctx context.Context, svc *core.Service, secret core.Secret, dry bool) error {
	r, err := svc.RecoverVault(ctx, secret, dry)
	if fault.CodeOf(err) == fault.Damaged && !d.json {
		d.note("The vault cannot be brought back from what its folder holds.")
		d.sayReadable()
		d.note("Bring back a backup, if there is one, with: keepsake restore FILE")
	}
	return d.answerUnless(err, r, func() {
		what := oneOrOther(dry, "This would bring back", "Brought back")
		d.say("%s the copy of %s and %s since then: %s, %s with %s.", what, r.CopyAt, count(r.Replayed, "change", "changes"),
			count(r.Memories, "memory", "memories"), count(r.Conversations, "conversation", "conversations"), count(r.Messages, "message", "messages"))
		if r.Lost == 0 {
			d.say("Nothing is lost.")
		} else {
			d.say("Lost: %s that no copy has.", count(r.Lost, "change", "changes"))
		}
		d.sayIf(r.Kept != "", "The damaged file is kept as %s in the vault's folder.", r.Kept)
	})
}
