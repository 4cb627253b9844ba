package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
	"keepsake/backend/memory"
)

func (d *door) reviewChanges() *cobra.Command {
	var q core.ProposalQuery
	cmd := &cobra.Command{
		Use:   "changes",
		Short: "List changes of memories that assistants propose",
		Long: "An assistant that may propose and not write puts changes of memories before you: another text, type or tags, a\n" +
			"retraction, a relation. accept ID makes them, which undo takes back, and reject ID does not; the same is not proposed\n" +
			"again. Of a memory that is not as it was, the change cannot be accepted, and the list says why.",
		Args: exactly(0),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, _ []string) error {
			q.About = core.ChangesOnly
			page, err := svc.Proposals(ctx, q)
			if err != nil {
				return err
			}
			var ids []string
			for _, p := range page.Items {
				ids = append(ids, p.ID)
			}
			now, err := svc.ProposedChanges(ctx, ids)
			if err != nil {
				return err
			}
			views := []proposedChangeView{}
			for _, p := range page.Items {
				views = append(views, proposedChangeView{p, string(now[p.ID].Standing), now[p.ID].Memories})
			}
			err = d.answer(listOf(views, page.Total), func() {
				for _, v := range views {
					d.sayProposedChange(v)
				}
				d.say("%s", outOf(len(views), page.Total, "change", "changes"))
			})
			return orNotSo(err, page.Total > 0)
		}),
	}
	cmd.Flags().IntVar(&q.Limit, "limit", 20, "at most so many")
	cmd.Flags().IntVar(&q.Offset, "offset", 0, "leave out so many first")
	return cmd
}

// proposedChangeView is the JSON of a proposed change, with the memories as they are now.
type proposedChangeView struct {
	core.Proposal
	Standing string          `json:"standing,omitempty"` // why it cannot be accepted
	Memories []memory.Record `json:"memories"`
}

func (d *door) sayProposedChange(v proposedChangeView) {
	c := v.Change
	switch c.Kind {
	case core.ToRelate:
		d.say("%s  %s proposes to relate two memories: %s", v.ID, v.By, c.Relation)
	case core.ToRetract:
		d.say("%s  %s proposes to retract this memory", v.ID, v.By)
	default:
		d.say("%s  %s proposes to change this memory", v.ID, v.By)
	}
	for _, m := range v.Memories {
		d.say("  %s  %s", m.ID, oneLine(m.Content, 200))
	}
	d.sayIf(c.Kind == core.ToUpdate, "  → %s", oneLine(changeWords(c), 200))
	d.sayIf(v.Instructs, "  It would tell an assistant what to do.")
	d.sayIf(v.Standing != "", "  It cannot be accepted: %s.", standingWords(v.Standing))
}

// changeWords is what a proposed change would make of memories.
func changeWords(c *core.ProposedChange) string {
	var parts []string
	if c.Content != nil {
		parts = append(parts, *c.Content)
	}
	if c.Type != nil {
		parts = append(parts, "type: "+string(*c.Type))
	}
	if c.Tags != nil {
		parts = append(parts, "tags: "+strings.Join(*c.Tags, ", "))
	}
	if c.Relation != "" {
		parts = append(parts, string(c.Relation))
	}
	return strings.Join(parts, "; ")
}

// standingWords says why a proposed change cannot be accepted.
func standingWords(standing string) string {
	switch standing {
	case "gone":
		return "a memory is no longer in the vault"
	case "inactive":
		return "a memory is not active any more"
	case "changed":
		return "a memory has changed since"
	case "hidden":
		return "a part of the memory is hidden from the assistant now"
	}
	return "the assistant may not see a memory any more"
}
