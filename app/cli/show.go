package cli

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"keepsake/app/terminal"
	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

func (d *door) show() *cobra.Command {
	var active bool
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show one memory or one conversation",
		Args:  exactly(1),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, args []string) error {
			detail, err := svc.Memory(ctx, args[0])
			if err == nil {
				if active {
					return usageError{errors.New("--active is for conversations, and this is a memory")}
				}
				return d.answer(shownMemory{detail.Record, core.CategoryOf(detail.Record), detail.Sources}, func() { d.sayMemory(detail) })
			}
			if fault.CodeOf(err) != fault.NotFound {
				return err
			}
			err = svc.ShowConversation(ctx, args[0], active, d.sayConversation)
			if fault.CodeOf(err) == fault.NotFound {
				return fault.New(fault.NotFound, "nothing-with-id", "There is no memory and no conversation with the id {id}.").With("id", oneLine(args[0], 64)).
					Advise("keepsake list memories and keepsake list conversations show the ids.")
			}
			return err
		}),
	}
	cmd.Flags().BoolVar(&active, "active", false, "of a conversation only the active path, first to last")
	return cmd
}

// shownMemory is a memory with who stated it.
type shownMemory struct {
	memory.Record
	Category core.Category       `json:"category"` // of the Personal Memory Specification
	Sources  []core.MemorySource `json:"sources"`
}

// platforms are those that a memory came from, each once.
func platforms(m core.MemoryDetail) []string {
	from := []string{m.Record.Provenance.Platform}
	for _, s := range m.Sources {
		if s.Platform != "" && !slices.Contains(from, s.Platform) {
			from = append(from, s.Platform)
		}
	}
	return from
}

func (d *door) sayMemory(m core.MemoryDetail) {
	r := m.Record
	d.sayText(r.Content + "\n")
	kind := oneOrOther(r.CustomType != "", oneLine(r.CustomType, 60)+" (custom)", string(r.Type))
	d.say("%s, %s, from %s, %s %s", kind, r.Status, listed(platforms(m)), createdWord(r), r.Temporal.CreatedAt)
	d.sayIf(m.Corrected, "corrected by you, %s", r.Temporal.UpdatedAt)
	d.say("category: %s", core.CategoryOf(r))
	if m.Conversation != nil {
		d.say("said in conversation %s, message %s", m.Conversation.ID, r.Provenance.MessageRef)
	}
	d.sayIf(m.Removed, "not in the newest export of its account any more; it stays here")
	d.sayIf(len(r.Tags) > 0, "tags: %s", oneLine(listed(r.Tags), 400))
	if importance, ok := r.Importance(); ok {
		d.say("importance: %g", importance)
	}
	d.sayLimits(r)
	d.sayIf(m.Use.Count > 0, "read %s, last %s", count(int(m.Use.Count), "time", "times"), m.Use.Last)
	for _, rel := range m.Relations {
		arrow := oneOrOther(rel.Outgoing, "→", "←")
		word := oneOrOther(len(rel.Words) > 0, " ("+oneLine(listed(rel.Words), 60)+")", "")
		d.say("%s %s%s %s  %s", arrow, rel.Relation.Type, word, rel.Other.ID, oneLine(rel.Other.Content, 70))
	}
	d.sayIf(len(m.Next) > 0, "can become: %s", listed(m.Next))
	d.sayIf(m.Was != "", "was %s before; keepsake undo-status %s takes that step back", m.Was, r.ID)
}

// createdWord is the label of created_at, which is the time of the export or import
// where the source gave none.
func createdWord(r memory.Record) string {
	switch r.CreatedFrom() {
	case memory.FromExport:
		return "there when exported"
	case memory.FromImport:
		return "there when imported"
	}
	return "created"
}

// sayLimits tells what a memory is in short, when it holds, and who may have it,
// where that is not what holds of every memory.
func (d *door) sayLimits(r memory.Record) {
	d.sayIf(r.Summary != "", "in short: %s", oneLine(r.Summary, 400))
	d.sayIf(!r.Temporal.ValidFrom.IsZero(), "valid from %s", r.Temporal.ValidFrom)
	d.sayIf(!r.Temporal.ValidUntil.IsZero(), "valid until %s", r.Temporal.ValidUntil)
	if a := r.Access; a != nil && a.Visibility != memory.Private {
		d.say("%s", a.Visibility)
	}
	d.sayIf(!r.MayLeave(), "never leaves in an export")
}

// sayConversation prints a conversation message by message: there may be very many.
func (d *door) sayConversation(c core.Talk) error {
	if d.json {
		return d.printDocument(c.Write)
	}
	d.say("%s (%s, %s)\n", oneLine(c.Title, 200), c.Provider.Name, when(c.Began()))
	if from := core.ContinuedOf(c.RawMetadata); from.ConversationID != "" {
		d.say("goes on from conversation %s\n", oneLine(strings.TrimSpace(from.ConversationID+" "+from.MessageID), 130))
	}
	for m, err := range c.Long {
		if err != nil {
			return err
		}
		if text := m.Content.PlainText(); text != "" {
			d.sayText("[" + terminal.Flat(string(m.Role)) + "] " + text + "\n")
		}
	}
	return nil
}
