package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
	"keepsake/backend/product"
)

func (d *door) merge() *cobra.Command {
	var out string
	var options core.MergeOptions
	var keep, take []string
	var common, conflict string
	yes := false
	var file fileIn
	var sealed exportFlags
	cmd := &cobra.Command{
		Use:   "merge BASE DELTA -o FILE.json|FILE.zip|DIR",
		Short: "Write what a PAM file becomes with an incremental one",
		Long: "Writes BASE with the changes of DELTA, and leaves both as they are. What BASE has changes only where DELTA is signed " +
			"by the key that signed BASE, or where you say so; otherwise it stays, and the change is shown.",
		Args: exactly(2),
		RunE: d.onService(func(ctx context.Context, svc *core.Service, args []string) error {
			var err error
			if options.Choices, err = choices(keep, take); err != nil {
				return err
			}
			if options.OnConflict, err = oneOf("on-conflict", core.OnConflict(conflict), []core.OnConflict{core.KeepOurs, core.TakeTheirs}); err != nil {
				return err
			}
			in, err := file.inputs(d, args)
			if err != nil {
				return err
			}
			if err := sealed.canAsk(d); err != nil {
				return err
			}
			if err := sealed.readPassphrase(d); err != nil {
				return err
			}
			options.Passphrase = sealed.options.Passphrase
			defer clear(options.Passphrase)
			if common != "" {
				options.Common = &core.Input{Path: common, Passphrase: in[0].Passphrase}
			}
			if out, err = d.destination(out, streamName(args[0], sealed.sealed())); err != nil {
				return err
			}
			if options.OnConflict == core.TakeTheirs || len(take) > 0 {
				plan, err := svc.PlanMerge(ctx, in[0], in[1], out, options)
				if err != nil {
					return reading(err)
				}
				if err := d.agreeToMerge(plan, yes); err != nil {
					return err
				}
			}
			merged, err := svc.MergeFiles(ctx, in[0], in[1], out, options)
			return d.answerUnless(reading(err), merged, func() { d.sayMerged(merged, d.written(out)) })
		}),
	}
	flags := cmd.Flags()
	file.register(flags)
	flags.StringVarP(&out, "out", "o", "", "file (.json, .pam, .zip) or folder (any other name) to write; only a zip or a folder holds conversations, attachments and embeddings; "+toStdout+", in the shape of BASE")
	flags.BoolVar(&options.AnyBase, "any-base", false, "merge although DELTA does not build on BASE")
	flags.StringArrayVar(&keep, "keep", nil, "id of a memory that stays as BASE has it, or away where BASE has none; the result is then an export of its own")
	flags.StringArrayVar(&take, "take", nil, "ID of a memory to be as DELTA has it, away where DELTA has none; or ID=/MEMBER, as diff names it: only that member, the rest as BASE has it; shows the change and asks")
	flags.StringVar(&conflict, "on-conflict", "keep", "of what DELTA has in another version, and may not change by its signature: keep or theirs; theirs shows every change and asks")
	flags.BoolVar(&yes, "yes", false, "take what --take or --on-conflict theirs takes without asking")
	flags.StringVar(&common, "common", "", "the file that both come from, where DELTA does not build on BASE: of what DELTA may change, each member as the file has it that changed it, what both changed as DELTA has it, unless --keep or --take says otherwise")
	sealed.addEncryption(flags, "age format")
	_ = cmd.MarkFlagRequired("out")
	return cmd
}

// streamName is what is written to standard output of a file or a folder: a folder has
// no stream, so it becomes a zip.
func streamName(of string, sealed bool) string {
	bare, name := strings.TrimSuffix(strings.ToLower(of), ".age"), product.Program+".pam.json"
	if info, err := os.Stat(of); err == nil && info.IsDir() || filepath.Ext(bare) == ".zip" {
		name = product.Program + ".pam.zip"
	}
	if sealed {
		name += ".age"
	}
	return name
}

// choices are what was picked, memory by memory or member by member; nil for nothing.
func choices(keep, take []string) (map[string]core.MergeChoice, error) {
	if len(keep)+len(take) == 0 {
		return nil, nil
	}
	all := map[string]core.MergeChoice{}
	for _, id := range keep {
		all[id] = core.MergeChoice{Of: core.OfBase}
	}
	for _, picked := range take {
		id, member := picked, ""
		if i := strings.LastIndex(picked, "=/"); i >= 0 {
			id, member = picked[:i], picked[i+1:]
		}
		before, chosen := all[id]
		switch {
		case chosen && (member == "" || before.Of != core.OfBoth):
			return nil, usageError{fmt.Errorf("--keep and --take say two things of %s", id)}
		case member == "":
			all[id] = core.MergeChoice{Of: core.OfDelta}
		case core.GoesWith(member) != "":
			return nil, usageError{fmt.Errorf("%s goes with %s; name that", member, core.GoesWith(member))}
		case !core.IsMember(member):
			return nil, usageError{fmt.Errorf("%s is no member that can be taken by itself; diff names them", member)}
		default:
			all[id] = core.MergeChoice{Of: core.OfBoth, Fields: append(before.Fields, member)}
		}
	}
	return all, nil
}

func (d *door) sayMerged(m core.Merged, out string) {
	d.say("Wrote %s: %s (%s added, %s changed, of these %s retracted), %s, %s.", out, count(m.Memories, "memory", "memories"),
		grouped(m.Added), grouped(m.Updated), grouped(m.Retracted), count(m.Relations, "relation", "relations"), count(m.Conversations, "conversation in the index", "conversations in the index"))
	if n := m.Files + m.Attachments + m.Embeddings; n > 0 {
		d.say("With %s, %s, %s.", count(m.Files, "conversation", "conversations"), count(m.Attachments, "attachment", "attachments"), count(m.Embeddings, "embedding", "embeddings"))
	}
	d.sayMergeChanges(m.Changes)
	for _, left := range []struct{ reason, said string }{
		{"not-picked", "Memories left out, as you chose: %s."},
		{"not-exportable", "Memories left out, because they are marked as not exportable: %s."},
		{"relation-without-memory", "Left out, because a memory they relate is not in the result: %s."},
		{"superseded-by-without-memory", "Memories that no longer name what took their place, because it is not in the result: %s."},
		{"conversation-file", "Files of conversations that stay behind: %s."},
		{"attachment", "Attachments that stay behind: %s."},
		{"embeddings", "Embeddings that stay behind: %s."},
		{"not-allowed", "Left out, because the second file may not add them to memories of the first: %s."},
		{"other-file", "Files that do not belong to a PAM bundle and stay behind: %s."},
	} {
		if n := m.LeftOut[left.reason]; n > 0 {
			d.say(left.said, grouped(n))
		}
	}
	if !m.Bundle && m.LeftOut["conversation-file"]+m.LeftOut["attachment"]+m.LeftOut["embeddings"] > 0 {
		d.say("One file holds the memories only. To keep the rest, name a .zip or a folder with -o.")
	}
	d.sayUnknown("Of a newer version of PAM, and left out", m.Unknown)
	d.say("It is not signed: a signature is over other sums. Sign it with: keepsake sign")
}

// agreeToMerge shows what a merge would take by the person's word, before → after, and
// asks unless yes is given.
func (d *door) agreeToMerge(plan core.Merged, yes bool) error {
	taken := 0
	for _, c := range plan.Changes {
		if c.Taken {
			d.sayMergeChange(d.note, c)
			taken++
		}
	}
	if taken == 0 || yes {
		return nil
	}
	d.note("%s of the first file would become as the second has them.", count(taken, "part", "parts"))
	return d.confirmed("take")
}

func (d *door) sayMergeChanges(all []core.MergeChange) {
	if len(all) == 0 {
		return
	}
	d.say("In both files, and different:")
	for _, c := range all {
		d.sayMergeChange(d.say, c)
	}
	if slices.ContainsFunc(all, func(c core.MergeChange) bool { return !c.Taken }) {
		d.say("To take a memory all the same: keepsake merge … --take ID. To take all: --on-conflict theirs.")
	}
}

func (d *door) sayMergeChange(tell func(string, ...any), c core.MergeChange) {
	what := oneOrOther(c.Taken, "as the second file has it", "as the first file has it: "+whyKept(c.Why))
	tell("%s %s (%s)", c.Kind, oneLine(strings.TrimSpace(c.ID+" "+c.Title), 160), what)
	for _, f := range c.Fields {
		tell("    %s: %s → %s", oneLine(f.Path, 80), shown(f.A), shown(f.B))
	}
}

func (d *door) diff() *cobra.Command {
	var base string
	var file fileIn
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Tell how one PAM file differs from another, memory by memory",
		Args:  exactly(2),
		RunE: d.onService(func(ctx context.Context, svc *core.Service, args []string) error {
			in, err := file.inputs(d, args)
			if err != nil {
				return err
			}
			var ground *core.Input
			if base != "" {
				ground = &core.Input{Path: base, Passphrase: in[0].Passphrase}
			}
			diff, err := svc.DiffFiles(ctx, in[0], in[1], ground)
			return d.answerUnless(reading(err), diff, func() { d.sayDiff(diff) })
		}),
	}
	file.register(cmd.Flags())
	cmd.Flags().StringVar(&base, "base", "", "the file that both come from: says what both changed")
	return cmd
}

// sayUnknown lists members that PAM 1.0 does not have, most frequent first.
func (d *door) sayUnknown(lead string, unknown map[string]int) {
	if len(unknown) == 0 {
		return
	}
	parts := make([]string, 0, len(unknown))
	for _, name := range mostFirst(unknown) {
		parts = append(parts, oneLine(name, 80)+" ("+grouped(unknown[name])+")")
	}
	d.say("%s: %s", lead, oneLine(strings.Join(parts, ", "), 1000))
}

func (d *door) sayDiff(diff core.Difference) {
	for _, side := range []struct{ name, said string }{{"a", "A"}, {"b", "B"}, {"base", "The base"}} {
		d.sayIf(slices.Contains(diff.Newer, side.name), "! %s is of a newer version of PAM than 1.0.", side.said)
		d.sayUnknown("! "+side.said+" has what PAM 1.0 does not", diff.Unknown[side.name])
	}
	if diff.Identical {
		d.say("The two hold the same: %s, %s, %s.", count(diff.Memories.Same, "memory", "memories"),
			count(diff.Relations.Same, "relation", "relations"), count(diff.Conversations.Same, "conversation", "conversations"))
		return
	}
	for _, part := range []struct {
		one, many string
		is        core.Changes
	}{{"memory", "memories", diff.Memories}, {"relation", "relations", diff.Relations}, {"conversation", "conversations", diff.Conversations}} {
		d.say("%s only in B, %s only in A, %s different, %s the same.", count(len(part.is.Added), part.one, part.many),
			grouped(len(part.is.Removed)), grouped(len(part.is.Changed)), grouped(part.is.Same))
		d.sayEntries("+", part.is.Added)
		d.sayEntries("-", part.is.Removed)
		d.sayEntries("~", part.is.Changed)
	}
	d.sayIf(diff.Conflicts > 0, "Changed in both since the base: %s.", grouped(diff.Conflicts))
}

func (d *door) sayEntries(sign string, entries []core.DiffEntry) {
	for _, e := range entries {
		mark := oneOrOther(e.Gone, " (in the base, too)", "") + oneOrOther(e.Conflict, " (conflict)", "")
		d.say("%s %s%s", sign, oneLine(e.ID, 80), mark)
		for _, f := range e.Fields {
			said := fmt.Sprintf("    %s: %s → %s", oneLine(f.Path, 80), shown(f.A), shown(f.B))
			if f.Conflict {
				said += fmt.Sprintf(" (both changed %s)", shown(f.Base))
			}
			d.say("%s", said)
		}
	}
}

// shown is a value in one line; what is not there is a dash.
func shown(v []byte) string {
	if v == nil {
		return "–"
	}
	var b bytes.Buffer
	if json.Compact(&b, v) != nil {
		return "?"
	}
	return oneLine(b.String(), 120)
}
