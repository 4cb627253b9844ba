package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
	"keepsake/backend/fault"
)

func (d *door) forget() *cobra.Command {
	var q core.ForgetQuery
	var before, token string
	var copies withCopies
	yes := false
	cmd := &cobra.Command{
		Use:   "forget",
		Short: "Erase memories or conversations for good; a receipt without content stays",
		Long:  "Erase memories or conversations for good: from the vault, its index, its journal and every copy it keeps of itself.\nIt cannot be undone, and an import does not bring them back. A receipt without content is kept for thirty days.\nWithout --yes the selection is shown first. Selections of one kind can be given again and are forgotten together;\ntwo kinds, and one that selects nothing, are refused, and then nothing is forgotten. --query selects by words; what\nis close in meaning is shown beside, and stays unless its id is given with --also. --confirm selects what an agent asked\nto have forgotten.",
		Args:  exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := someSelection(cmd); err != nil {
				return err
			}
			if before != "" {
				day, err := time.Parse(time.DateOnly, before)
				if err != nil {
					return usageError{fmt.Errorf("--before takes a date like 2026-07-01, not %q", before)}
				}
				q.Before = day
			}
			svc, secret, err := copies.unlocked(cmd.Context(), d)
			if err != nil {
				return err
			}
			defer clear(secret.Passphrase)
			if token != "" {
				if q.IDs, err = requestedBy(cmd.Context(), svc, token); err != nil {
					return err
				}
			}
			plan, err := d.planForget(cmd.Context(), svc, q)
			if err != nil {
				d.noteStaying("Close in meaning; name what you mean with --id:", plan.Near)
				return err
			}
			if yes {
				d.noteLeft(plan)
			} else if err := d.confirmForget(plan); err != nil {
				return err
			}
			receipt, err := svc.Forget(cmd.Context(), plan.Memories, plan.Conversations)
			if err != nil {
				return err
			}
			return copies.settle(cmd.Context(), d, svc, secret, "These copies of the vault, put aside when a backup was restored, were not searched and may hold it:",
				func(left []core.Aside) error {
					return d.answer(forgotten{receipt, left}, func() { d.sayReceipt(receipt) })
				})
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&q.IDs, "id", nil, "a memory or a conversation by its id; can be given again")
	flags.StringArrayVar(&q.Conversations, "conversation", nil, "a conversation with its messages and attachments; can be given again")
	flags.StringArrayVar(&q.Tags, "tag", nil, "all memories with a tag; can be given again")
	flags.StringVar(&before, "before", "", "memories and conversations older than a date")
	flags.StringArrayVar(&q.Texts, "query", nil, "memories that a search finds; can be given again")
	flags.StringVar(&token, "confirm", "", "what an agent asked to have forgotten, by the token that it was given")
	flags.StringArrayVar(&q.Also, "also", nil, "with --query: a memory or a conversation that was shown as close in meaning; can be given again")
	flags.BoolVar(&yes, "yes", false, "do it without showing what is selected")
	cmd.MarkFlagsMutuallyExclusive(forgetSelections...)
	copies.register(cmd)
	return cmd
}

// forgotten is what a forget is answered as.
type forgotten struct {
	core.Receipt
	Asides []core.Aside `json:"asides,omitempty"` // copies put aside, which were not searched
}

// requestedBy returns the ids of the memories that an agent asked to have forgotten.
func requestedBy(ctx context.Context, svc *core.Service, token string) ([]string, error) {
	all, err := svc.Agents(ctx)
	if err != nil {
		return nil, err
	}
	return core.ForgetRequestedIDs(all, token)
}

var forgetSelections = []string{"id", "conversation", "tag", "before", "query", "confirm"}

func someSelection(cmd *cobra.Command) error {
	given := func(name string) bool { return cmd.Flags().Changed(name) }
	if given("also") && !given("query") {
		return usageError{errors.New("--also goes with --query")}
	}
	if !slices.ContainsFunc(forgetSelections, given) {
		return usageError{errors.New("say what to forget with --" + strings.Join(forgetSelections, ", --"))}
	}
	return nil
}

// confirmForget shows what is selected and asks at a terminal. Where there is
// none, nothing is forgotten.
func (d *door) confirmForget(p core.ForgetPlan) error {
	d.note("Selected: %s, %s with %s.", count(len(p.Memories), "memory", "memories"),
		count(len(p.Conversations), "conversation", "conversations"), count(p.Messages, "message", "messages"))
	if p.Originals > 0 {
		d.note("%s that imports kept may hold it, and go along: the imports cannot be re-read afterwards.", count(p.Originals, "file", "files"))
	}
	if p.KeptOriginals > 0 {
		d.note("%s that imports kept do not hold it, and stay.", count(p.KeptOriginals, "file", "files"))
	}
	for _, s := range p.Sample {
		d.note("  %s  %s", s.ID, oneLine(s.Text, 100))
	}
	d.noteLeft(p)
	if !d.hasTerminal() {
		return errNotConfirmed()
	}
	d.prompt("Type forget to erase them for good: ")
	line, _ := bufio.NewReader(d.env.Stdin).ReadString('\n')
	if strings.TrimSpace(line) != "forget" {
		return errNotConfirmed()
	}
	return nil
}

// planForget plans a deletion. For a query it first makes missing vectors, so that the plan can
// list records that are close in meaning.
func (d *door) planForget(ctx context.Context, svc *core.Service, q core.ForgetQuery) (core.ForgetPlan, error) {
	if len(q.Texts) > 0 {
		if err := svc.MakeVectors(ctx, fewVectors); err != nil && !core.IsMeaningUnavailable(err) {
			return core.ForgetPlan{}, err
		}
	}
	return svc.PlanForget(ctx, q)
}

// noteLeft names what stays: what says the same and is the person's own, and what is close in
// meaning.
func (d *door) noteLeft(p core.ForgetPlan) {
	d.noteStaying("Your own, and not forgotten with it:", p.Left)
	d.noteStaying("Also close in meaning, and not forgotten unless you add --also with its id:", p.Near)
}

func (d *door) noteStaying(title string, staying []core.Forgotten) {
	if len(staying) == 0 {
		return
	}
	d.note("%s", title)
	for _, one := range staying {
		d.note("  %s  %s  %s", one.Kind, oneLine(one.ID, 80), oneLine(one.Text, 100))
	}
}

func errNotConfirmed() error {
	return fault.New(fault.Refused, "forget-not-confirmed", "Nothing was forgotten, because it was not confirmed.").
		Advise("Add --yes to do it.")
}

func (d *door) sayReceipt(r core.Receipt) {
	d.say("Forgotten: %s, %s with %s, %s, %s.", count(r.Memories, "memory", "memories"), count(r.Conversations, "conversation", "conversations"),
		count(r.Messages, "message", "messages"), count(r.Relations, "relation", "relations"), count(r.Attachments, "attachment", "attachments"))
	d.say("Every file of this vault was searched, and nothing of it is left in any of them.")
	d.say("Old blocks of the disk may still hold it, sealed: without your passphrase or recovery key nobody can read them.")
	d.say("Files you exported, backups and the original exports are yours to remove.")
	d.say("Receipt %s", r.ID)
}

// destroyed is what a destruction is answered as.
type destroyed struct {
	core.Destruction
	Asides []core.Aside `json:"asides,omitempty"` // copies put aside, which are still there
	Kept   []string     `json:"kept,omitempty"`   // files in which a hand-off was kept, which still have it
}

func (d *door) destroy() *cobra.Command {
	var confirm, receipt string
	var copies withCopies
	cmd := &cobra.Command{
		Use:   "destroy --confirm VAULT_ID",
		Short: "Remove the whole vault from the disk, with every copy in its folder",
		Args:  exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if confirm == "" {
				return usageError{errors.New("destroy needs --confirm with the vault's id, which keepsake status tells")}
			}
			if err := onlyFile(receipt, "a receipt is written to a file and not to standard output"); err != nil {
				return err
			}
			svc, secret, err := d.unlockedKeeping(cmd.Context())
			if err != nil {
				return err
			}
			defer clear(secret.Passphrase)
			asides, err := svc.Asides(cmd.Context()) // while the vault can still tell which are its own
			if err != nil {
				return err
			}
			kept, err := svc.KeptFiles(cmd.Context())
			if err != nil { // a damaged vault is destroyed all the same
				d.note("Which files hand-offs are kept in cannot be read: %s", fault.From(err).Message())
			}
			done, err := svc.DestroyVault(cmd.Context(), confirm, secret, receipt, copies.remove)
			if err != nil {
				return err
			}
			if copies.remove { // other vaults stay
				asides = slices.DeleteFunc(asides, func(a core.Aside) bool { return a.Same })
			}
			var left []string
			for _, k := range kept {
				left = append(left, k.File)
			}
			err = d.answer(destroyed{done, asides, left}, func() {
				d.say("The vault %s is gone, with %s and %s.", done.VaultID, count(done.Memories, "memory", "memories"), count(done.Conversations, "conversation", "conversations"))
				d.say("Backups, files you exported and the original exports are yours to remove.")
				d.sayIf(len(left) > 0, "These files still have what a hand-off wrote there:")
				for _, file := range left {
					d.say("  %s", file)
				}
			})
			if err == nil {
				d.nameAsides(asides, "These copies of the vault, put aside when a backup was restored, are still there:")
			}
			return err
		},
	}
	copies.register(cmd)
	cmd.Flags().StringVar(&confirm, "confirm", "", "the vault's id")
	cmd.Flags().StringVar(&receipt, "receipt", "", "file for a signed receipt that holds nothing of what was in the vault")
	return cmd
}
