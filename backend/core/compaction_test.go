package core_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

// planned is the ids of a plan by kind.
func (k *kit) planned() map[core.CompactionKind][]string {
	k.t.Helper()
	all := map[core.CompactionKind][]string{}
	for _, item := range ok(k.PlanCompaction(ctx)).Items {
		for _, kind := range item.Kinds {
			all[kind] = append(all[kind], item.ID)
		}
	}
	return all
}

// Promise: memories that nobody looked at for long, and the oldest of too many, are
// planned to be archived, but for important ones; applying it archives what is
// chosen, and one undo brings all of it back.
func TestCompactMemories(t *testing.T) {
	k := fresh(t)
	add := func(text string, importance *float64) string {
		return ok(k.AddMemory(ctx, core.NewMemory{Type: memory.Fact, Content: text, Importance: importance})).ID
	}
	old, opened, dear := add("Has a cello", nil), add("Likes tea", nil), add("Is allergic to nuts", to(0.9))
	k.later(91 * 24 * time.Hour)
	ok(k.Memory(ctx, opened))
	fresh1, fresh2 := add("Lives in Faro", nil), add("Walks on Sundays", nil)

	if got := k.planned(); len(got) != 1 || !slices.Equal(got[core.CompactUnused], []string{old}) {
		t.Fatalf("planned %v, want %s alone", got, old)
	}
	if got := ok(k.SetCompactionLimits(ctx, core.CompactionLimits{Tokens: 5})); got != (core.CompactionLimits{Tokens: 5, Messages: 200, Days: 90}) {
		t.Errorf("limits %+v", got)
	}
	got := k.planned() // of five memories the three oldest, of which one is unused and one important
	if !slices.Equal(got[core.CompactOldest], []string{old, opened}) || !slices.Equal(got[core.CompactUnused], []string{old}) {
		t.Errorf("planned %v", got)
	}
	if plan := ok(k.PlanCompaction(ctx)); plan.Tokens < 15 || plan.Tokens > 30 {
		t.Errorf("%d tokens", plan.Tokens)
	}
	done := ok(k.ApplyCompaction(ctx, core.CompactionChoice{Kinds: []core.CompactionKind{core.CompactUnused}, IDs: []string{opened, fresh1}}))
	if done != (core.Compacted{Archived: 2}) {
		t.Errorf("done %+v", done)
	}
	status := func(id string) memory.Status { return ok(k.Memory(ctx, id)).Record.Status }
	if status(old) != memory.Archived || status(opened) != memory.Archived || status(dear) != memory.Active || status(fresh2) != memory.Active {
		t.Errorf("%s %s %s %s", status(old), status(opened), status(dear), status(fresh2))
	}
	if log := ok(k.Log(ctx, core.LogQuery{Limit: 1})).Entries[0]; log.Action != "compact-memories" || log.Count != 2 {
		t.Errorf("log %+v", log)
	}
	ok(k.SetCompactionLimits(ctx, core.CompactionLimits{Tokens: 1000}))
	_, err := k.ApplyCompaction(ctx, core.CompactionChoice{IDs: []string{fresh1}})
	wantFault(t, err, fault.NotFound, "nothing-to-compact")
	ok(k.Undo(ctx))
	if status(old) != memory.Active || status(opened) != memory.Active {
		t.Error("undoing did not bring them back")
	}
	_, err = k.SetCompactionLimits(ctx, core.CompactionLimits{Days: -1})
	wantFault(t, err, fault.Invalid, "compaction-limits")
}

// Promise: of active memories with the same words the one that was changed last
// stays.
func TestCompactDuplicates(t *testing.T) {
	k := fresh(t)
	first := ok(k.AddMemory(ctx, core.NewMemory{Type: memory.Fact, Content: "Has a cello"})).ID
	k.later(time.Hour)
	second := ok(k.AddMemory(ctx, core.NewMemory{Type: memory.Fact, Content: "Plays"})).ID
	ok(k.EditMemory(ctx, second, core.MemoryEdit{Content: to("has a CELLO ")}))
	items := ok(k.PlanCompaction(ctx)).Items
	if len(items) != 1 || !items[0].Is(core.CompactDuplicate) || items[0].ID != first || items[0].Keeps != second {
		t.Errorf("planned %+v", items)
	}
}

// Promise: a long conversation is summarized once, in the person's own sentences,
// into the Inbox and nowhere else, and stays as it is.
func TestCompactSessions(t *testing.T) {
	k := fresh(t)
	var b book
	for i, n := range []int{201, 200} {
		c := talk{ID: fmt.Sprint("c", i), Title: fmt.Sprint("Talk ", i), At: dayOne, Updated: dayOne}
		for j := range n {
			role, said := "user", fmt.Sprintf("We spoke about the kitchen renovation number%d again today.", j)
			if j%2 == 1 {
				role, said = "assistant", "The secret of the assistant is not the person's sentence at all."
			}
			if j == 0 {
				said = "The budget of the kitchen renovation is nine thousand."
			}
			l := line{ID: fmt.Sprint("m", j), Role: role, Text: said, At: dayOne.Add(time.Duration(j) * time.Minute)}
			if j > 0 {
				l.Parent = fmt.Sprint("m", j-1)
			}
			c.Lines = append(c.Lines, l)
		}
		b.Conversations = append(b.Conversations, c)
	}
	k.imports(k.write("a.zip", b))
	items := ok(k.PlanCompaction(ctx)).Items
	if len(items) != 1 || !items[0].Is(core.CompactSession) || items[0].Messages != 201 || items[0].Title != "Talk 0" {
		t.Fatalf("planned %+v", items)
	}
	before := k.state()
	done := ok(k.ApplyCompaction(ctx, core.CompactionChoice{IDs: []string{items[0].ID}}))
	if done.Sessions != 1 || done.Proposed != 1 || done.Archived != 0 {
		t.Fatalf("done %+v", done)
	}
	p := ok(k.Proposals(ctx, core.ProposalQuery{})).Items[0]
	if p.Type != memory.Context || p.Rule != "en/summary" || p.ConversationID != items[0].ID || len(p.Content) < 40 {
		t.Errorf("proposed %+v", p)
	}
	if after := k.state(); after.Memories != before.Memories || after.Messages != before.Messages {
		t.Errorf("the vault holds %+v, held %+v", after, before)
	}
	if got := k.planned(); len(got) != 0 {
		t.Errorf("planned again: %v", got)
	}
	if log := ok(k.Log(ctx, core.LogQuery{Limit: 1})).Entries[0]; log.Action != "compact-memories" {
		t.Errorf("log %+v", log)
	}
}

// Promise (3): the age of a memory counts from its import; memories about health,
// identity, people or how to answer are never proposed, duplicates or not; and "oldest"
// archives what its plan shows.
func TestWindow03PutAway(t *testing.T) {
	k := fresh(t)
	long := dayOne.Add(-3 * 365 * 24 * time.Hour)
	var b book
	for i, said := range []string{"Has a cello", "Has a cello!", "Uses a fountain pen", "Is allergic to penicillin", "Is a vegetarian", "Birthday on 3 March", "Tem alergia a amendoim"} {
		b.Memories = append(b.Memories, statement{Key: fmt.Sprint("k", i), Text: said, At: long})
	}
	k.imports(k.write("a.zip", b))
	equal(t, map[core.CompactionKind][]string{core.CompactDuplicate: {k.saying("Has a cello!").ID}}, k.planned())
	k.later(89 * 24 * time.Hour)
	equal(t, 1, len(k.planned()))
	k.later(2 * 24 * time.Hour)
	got := k.planned()
	equal(t, []string{k.saying("Has a cello").ID, k.saying("Uses a fountain pen").ID}, sorted(got[core.CompactUnused]))

	ok(k.SetCompactionLimits(ctx, core.CompactionLimits{Tokens: 1}))
	for _, item := range ok(k.PlanCompaction(ctx)).Items {
		if said := item.Title; strings.Contains(said, "llerg") || strings.Contains(said, "vegetar") || strings.Contains(said, "Birthday") {
			t.Errorf("%q is proposed", said)
		}
	}
	before := k.planned()
	if len(before[core.CompactOldest]) == 0 {
		t.Fatal("nothing is of the oldest")
	}
	done := ok(k.ApplyCompaction(ctx, core.CompactionChoice{Kinds: []core.CompactionKind{core.CompactOldest}}))
	equal(t, len(before[core.CompactOldest]), done.Archived)
}

func sorted(ids []string) []string {
	slices.Sort(ids)
	return ids
}
