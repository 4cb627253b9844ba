package cli

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
)

func (d *door) inspect() *cobra.Command {
	return d.overFile("inspect PATH", "Say what is in a PAM file or bundle, or a MIF file", func(ctx context.Context, svc *core.Service, file core.Input) error {
		in, err := svc.Inspect(ctx, file)
		return d.answerUnless(reading(err), in, func() { d.sayInspection(in) })
	})
}

func (d *door) sayInspection(in core.Inspection) {
	if in.Kind == "" {
		d.say("JSON that does not say which PAM document it is.")
	} else {
		d.say("%s %s", oneLine(in.Kind, 80), oneLine(in.SchemaVersion, 20))
	}
	if in.ExportID != "" {
		d.say("Export %s of %s, made by %s.", oneLine(in.ExportID, 80), oneLine(in.ExportDate, 40), oneLine(cmp.Or(in.ExportedBy, "an unnamed program"), 80))
	}
	d.sayIf(in.OwnerID != "", "Owner %s%s.", oneLine(in.OwnerID, 80), knownAs(in.DID))
	talks := count(in.Conversations, "conversation", "conversations") + " listed"
	if in.Messages > 0 {
		talks = count(in.Conversations, "conversation", "conversations") + " with " + count(in.Messages, "message", "messages")
	}
	d.say("%s, %s, %s, %s.", count(in.Memories, "memory", "memories"), count(in.Relations, "relation", "relations"), talks,
		count(in.Embeddings, "embedding", "embeddings"))
	d.sayCounts("Types", in.Types)
	d.sayCounts("States", in.Statuses)
	d.sayIf(in.Todos > 0, "%s.", count(in.Todos, "task", "tasks"))
	d.sayCounts("Not known", in.Unknown)
	if in.Signed {
		d.say("Signed; keepsake verify says by whom, and whether it holds.")
	} else {
		d.say("Not signed.")
	}
}

// knownAs is the owner's signing name, where the file gives one.
func knownAs(did string) string {
	return oneOrOther(did != "", ", known as "+oneLine(did, 200), "")
}

// sayCounts prints a tally, the most first.
func (d *door) sayCounts(title string, counts map[string]int) {
	words := mostFirst(counts)
	for i, w := range words {
		words[i] = oneLine(cmp.Or(w, "without one"), 40) + " " + grouped(counts[w])
	}
	d.sayIf(len(words) > 0, "%s: %s.", title, strings.Join(words[:min(len(words), 30)], ", "))
}

// mostFirst gives the names of a tally, the most first, then by name.
func mostFirst(counts map[string]int) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
}
