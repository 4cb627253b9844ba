package core_test

import (
	"fmt"
	"strings"
	"testing"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

// TestSplitMemory: the facts of a memory become memories that are derived from it and as private
// as it was, told by the same and not reviewed; it is archived, and one undo takes all back.
func TestSplitMemory(t *testing.T) {
	k := fresh(t)
	id := k.told("Lives in Lisbon; works as a nurse; has two cats.")[0]
	plan := ok(k.PlanSplit(ctx, id))
	equal(t, core.Splitting{ID: id, Content: "Lives in Lisbon; works as a nurse; has two cats.", Facts: []string{"Lives in Lisbon", "works as a nurse", "has two cats"}}, plan)
	stays := false
	ok(k.EditMemory(ctx, id, core.MemoryEdit{Exportable: &stays}))
	known := k.add("has two cats")

	before := state(k)
	parts := ok(k.SplitMemory(ctx, id, append(plan.Facts, " ", "Lives in Lisbon ")))
	equal(t, 3, len(parts))
	equal(t, known.ID, parts[2].ID)
	equal(t, memory.Archived, k.byID(id).Status)
	for _, part := range parts[:2] {
		m := ok(k.Memory(ctx, part.ID))
		equal(t, false, m.Record.MayLeave())
		equal(t, 1, len(m.Relations))
		equal(t, true, m.Relations[0].Outgoing)
		equal(t, id, m.Relations[0].Other.ID)
		equal(t, memory.DerivedFrom, m.Relations[0].Relation.Type)
		sentence := k.sentence(part.ID)
		equal(t, false, sentence.Reviewed)
		equal(t, true, sentence.Stays)
		equal(t, []string{"parrot"}, sentence.Platforms)
	}
	equal(t, true, k.byID(known.ID).MayLeave())
	k.reopen()
	ok(k.Undo(ctx))
	equal(t, before, state(k))
	equal(t, memory.Active, k.byID(id).Status)
}

// TestSplitStays: a later import of the same statement does not bring the whole back, and an export
// has the relations.
func TestSplitStays(t *testing.T) {
	k := fresh(t)
	text := "Lives in Lisbon; works as a nurse."
	id := k.told(text)[0]
	parts := ok(k.SplitMemory(ctx, id, ok(k.PlanSplit(ctx, id)).Facts))
	k.told(text)
	equal(t, memory.Archived, k.byID(id).Status)
	equal(t, 2, ok(k.Portrait(ctx, core.PortraitQuery{})).Total)
	_, document := k.export("split.json", core.ExportOptions{})
	for _, part := range parts {
		equal(t, true, strings.Contains(string(document), part.ID))
	}
	equal(t, 2, strings.Count(string(document), `"derived_from"`))
}

// TestSplitRefuses: what is no splitting changes nothing.
func TestSplitRefuses(t *testing.T) {
	k := fresh(t)
	ids := k.told("Likes salt and pepper", "Has a dog; lives in Porto")
	equal(t, []string{}, ok(k.PlanSplit(ctx, ids[0])).Facts)
	ok(k.SetStatus(ctx, ids[0], memory.Archived, ""))
	_, err := k.PlanSplit(ctx, ids[0])
	wantFault(t, err, fault.Conflict, "split-inactive")
	before := state(k)
	for _, wrong := range []struct {
		id     string
		facts  []string
		reason string
	}{
		{ids[0], []string{"Likes salt", "Likes pepper"}, "split-inactive"},
		{ids[1], []string{"Has a dog", " Has a dog"}, "split-into-one"},
		{ids[1], []string{"Has a dog", "Has a dog; lives in Porto"}, "split-same"},
		{ids[1], tooMany(), "split-too-many"},
		{"nobody", []string{"a", "b"}, "no-memory"},
	} {
		_, err := k.SplitMemory(ctx, wrong.id, wrong.facts)
		equal(t, wrong.reason, fault.From(err).Reason)
		equal(t, before, state(k))
	}
}

func tooMany() (facts []string) {
	for i := range 201 {
		facts = append(facts, fmt.Sprint("Has dog number ", i))
	}
	return facts
}
