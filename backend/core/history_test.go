package core_test

import (
	"slices"
	"testing"
	"time"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

func ptr[T any](v T) *T { return &v }

func added(t *testing.T, k *kit, content string) memory.Record {
	t.Helper()
	r, err := k.AddMemory(ctx, core.NewMemory{Type: memory.Fact, Content: content})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestHistorySaysWhatEveryChangeDid(t *testing.T) {
	k := fresh(t)
	r := added(t, k, "Likes tea.")
	for _, text := range []string{"Likes green tea.", "Likes white tea."} {
		k.later(time.Hour)
		if _, err := k.EditMemory(ctx, r.ID, core.MemoryEdit{Content: &text}); err != nil {
			t.Fatal(err)
		}
	}
	k.later(time.Hour)
	if _, err := k.SetStatus(ctx, r.ID, memory.Archived, ""); err != nil {
		t.Fatal(err)
	}
	all, err := k.History(ctx, r.ID)
	if err != nil || len(all) != 3 {
		t.Fatalf("%d changes, %v", len(all), err)
	}
	want := []struct{ path, before, after string }{
		{"/status", `"active"`, `"archived"`},
		{"/content", `"Likes green tea."`, `"Likes white tea."`},
		{"/content", `"Likes tea."`, `"Likes green tea."`},
	}
	for i, w := range want {
		if len(all[i].Fields) != 1 {
			t.Fatalf("change %d has %d fields: %v", i, len(all[i].Fields), all[i].Fields)
		}
		f := all[i].Fields[0]
		if f.Path != w.path || string(f.A) != w.before || string(f.B) != w.after {
			t.Errorf("change %d: %s %s → %s, not %v", i, f.Path, f.A, f.B, w)
		}
	}
	if !all[2].At.Equal(dayOne.Add(time.Hour)) {
		t.Errorf("the first change was at %v", all[2].At)
	}
	if _, err := k.Undo(ctx); err != nil {
		t.Fatal(err)
	}
	if all, _ = k.History(ctx, r.ID); len(all) != 2 {
		t.Errorf("what was undone is told: %d changes", len(all))
	}
}

func TestHistoryStaysSmall(t *testing.T) {
	k := fresh(t)
	r := added(t, k, "Counts to 0.")
	for i := range 60 {
		text := "Counts to " + string(rune('a'+i%26)) + string(rune('a'+i/26)) + "."
		if _, err := k.EditMemory(ctx, r.ID, core.MemoryEdit{Content: &text}); err != nil {
			t.Fatal(err)
		}
	}
	all, err := k.History(ctx, r.ID)
	if err != nil || len(all) != 50 {
		t.Errorf("%d changes, %v", len(all), err)
	}
}

func TestRedoDoesAgainWhatWasUndone(t *testing.T) {
	k := fresh(t)
	one, two := added(t, k, "Keeps bees."), added(t, k, "Sells honey.")
	if _, err := k.EditMemory(ctx, one.ID, core.MemoryEdit{Tags: &[]string{"hobby"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := k.SetStatus(ctx, one.ID, memory.Superseded, two.ID); err != nil {
		t.Fatal(err)
	}
	before := everything(t, k)
	for range 4 {
		if _, err := k.Undo(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if page, _ := k.Memories(ctx, core.MemoryQuery{}); page.Total != 0 {
		t.Fatalf("%d memories after undoing all", page.Total)
	}
	for _, kind := range []string{"add", "add", "edit", "set-status"} {
		change, err := k.Redo(ctx)
		if err != nil || change.Kind != kind {
			t.Fatalf("%+v, %v, not %s", change, err, kind)
		}
	}
	if after := everything(t, k); after != before {
		t.Errorf("after redoing all:\n%s\nbefore:\n%s", after, before)
	}
	_, err := k.Redo(ctx)
	wantFault(t, err, fault.NotFound, "nothing-to-redo")
	for range 4 { // and what was redone can be undone
		if _, err := k.Undo(ctx); err != nil {
			t.Fatal(err)
		}
	}
}

// everything is all memories and relations, as text.
func everything(t *testing.T, k *kit) string {
	t.Helper()
	page, err := k.Memories(ctx, core.MemoryQuery{Sort: "created"})
	if err != nil {
		t.Fatal(err)
	}
	relations, err := k.Relations(ctx)
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, r := range page.Items {
		text += r.ID + " " + r.Content + " " + string(r.Status) + " " + r.Temporal.SupersededBy + "\n"
	}
	for _, rel := range relations {
		text += rel.ID + " " + rel.From + " " + string(rel.Type) + " " + rel.To + "\n"
	}
	return text
}

func TestRedoEndsWithAnyOtherChange(t *testing.T) {
	for name, other := range map[string]func(*kit, string) error{
		"a new memory": func(k *kit, _ string) error {
			_, err := k.AddMemory(ctx, core.NewMemory{Type: memory.Fact, Content: "Something else."})
			return err
		},
		"forgetting": func(k *kit, id string) error {
			_, err := k.Forget(ctx, []string{id}, nil)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			k := fresh(t)
			r := added(t, k, "Has a secret.")
			text := "Had a secret."
			if _, err := k.EditMemory(ctx, r.ID, core.MemoryEdit{Content: &text}); err != nil {
				t.Fatal(err)
			}
			if _, err := k.Undo(ctx); err != nil {
				t.Fatal(err)
			}
			if err := other(k, r.ID); err != nil {
				t.Fatal(err)
			}
			_, err := k.Redo(ctx)
			wantFault(t, err, fault.NotFound, "nothing-to-redo")
		})
	}
}

func TestManyMemoriesChangeAsOne(t *testing.T) {
	k := fresh(t)
	var ids []string
	for _, text := range []string{"One.", "Two.", "Three."} {
		ids = append(ids, added(t, k, text).ID)
	}
	if _, err := k.SetStatus(ctx, ids[2], memory.Archived, ""); err != nil {
		t.Fatal(err)
	}
	done, err := k.EditMany(ctx, core.ManyEdit{IDs: ids, Status: memory.Retracted})
	if err != nil || done.Changed != 2 || done.Left != 1 {
		t.Fatalf("%+v, %v", done, err)
	}
	done, err = k.EditMany(ctx, core.ManyEdit{Query: core.MemoryQuery{Statuses: []memory.Status{memory.Retracted}}, AddTags: []string{"Old"}, Exportable: ptr(false)})
	if err != nil || done.Changed != 2 {
		t.Fatalf("%+v, %v", done, err)
	}
	page, _ := k.Memories(ctx, core.MemoryQuery{Tags: []string{"old"}})
	if page.Total != 2 || page.Items[0].MayLeave() {
		t.Errorf("%d tagged, %+v", page.Total, page.Items)
	}
	for range 2 {
		if _, err := k.Undo(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if page, _ = k.Memories(ctx, core.MemoryQuery{Statuses: []memory.Status{memory.Active}}); page.Total != 2 {
		t.Errorf("%d active after undo", page.Total)
	}
	_, err = k.EditMany(ctx, core.ManyEdit{IDs: ids, Status: memory.Superseded})
	wantFault(t, err, fault.Invalid, "unknown-status")
}

func TestSavedViewsAreKeptByName(t *testing.T) {
	k := fresh(t)
	for _, name := range []string{"Work", "Ärger", "Work"} {
		if err := k.SaveView(ctx, core.SavedView{Name: " " + name, Query: core.MemoryQuery{Tags: []string{name}, Limit: 5}}); err != nil {
			t.Fatal(err)
		}
	}
	all, err := k.SavedViews(ctx)
	if err != nil || len(all) != 2 || all[1].Name != "Work" || all[1].Query.Limit != 0 || all[1].Query.Tags[0] != "Work" {
		t.Fatalf("%+v, %v", all, err)
	}
	if err := k.DropView(ctx, "Work"); err != nil {
		t.Fatal(err)
	}
	if all, _ = k.SavedViews(ctx); len(all) != 1 {
		t.Errorf("%+v", all)
	}
	wantFault(t, k.SaveView(ctx, core.SavedView{Name: " "}), fault.Invalid, "view-name")
}

func TestGraphIsTheMemoriesAndWhatJoinsThem(t *testing.T) {
	k := fresh(t)
	one, two, three := added(t, k, "One."), added(t, k, "Two."), added(t, k, "Three.")
	for _, r := range [][2]string{{one.ID, two.ID}, {three.ID, two.ID}} {
		if _, err := k.Relate(ctx, r[0], memory.Supports, r[1]); err != nil {
			t.Fatal(err)
		}
	}
	g, err := k.Graph(ctx, core.MemoryQuery{})
	if err != nil || len(g.Nodes) != 3 || len(g.Edges) != 2 {
		t.Fatalf("%+v, %v", g, err)
	}
	if n := g.Nodes[0]; n.ID != two.ID || n.Degree != 2 || n.Label != "Two." {
		t.Errorf("the first node is %+v", n)
	}
	if g, _ = k.Graph(ctx, core.MemoryQuery{Text: "three", Limit: 1}); len(g.Nodes) != 1 || len(g.Edges) != 0 {
		t.Errorf("narrowed: %+v", g)
	}
	if g, _ = k.Graph(ctx, core.MemoryQuery{Limit: 1, Offset: 1}); len(g.Nodes) != 1 || len(g.Edges) != 1 || g.TotalNodes != 3 || g.TotalEdges != 2 {
		t.Errorf("a window: %+v", g)
	}
}

func TestInsightsCount(t *testing.T) {
	k := fresh(t)
	one, two := added(t, k, "Loves winter."), added(t, k, "Hates winter.")
	if _, err := k.Relate(ctx, one.ID, memory.Contradicts, two.ID); err != nil {
		t.Fatal(err)
	}
	k.later(400 * 24 * time.Hour)
	stays := added(t, k, "Is new.")
	if _, err := k.EditMemory(ctx, stays.ID, core.MemoryEdit{Exportable: ptr(false)}); err != nil {
		t.Fatal(err)
	}
	in, err := k.Insights(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if in.Memories != 3 || in.Types[memory.Fact][memory.Active] != 3 || in.Contradicting != 1 || in.Stale != 2 || in.Exportable != 2 || in.Confidence[9] != 3 {
		t.Errorf("%+v", in)
	}
	if len(in.Months) != 2 || in.Months[0] != (core.MonthCount{Month: "2026-03", Platform: "manual", Count: 2}) {
		t.Errorf("%+v", in.Months)
	}
	if _, err := k.SetStatus(ctx, two.ID, memory.Retracted, ""); err != nil {
		t.Fatal(err)
	}
	if in, _ = k.Insights(ctx); in.Contradicting != 0 {
		t.Errorf("a retracted memory contradicts: %+v", in)
	}
}

func TestAMemoryMadeOfAMessageLeadsBackToIt(t *testing.T) {
	k := fresh(t)
	_, err := k.AddMemory(ctx, core.NewMemory{Type: memory.Fact, Content: "Lives by the sea.", Conversation: "nobody's", Message: "m"})
	wantFault(t, err, fault.NotFound, "no-conversation")
	k.imports(k.write("one.zip", book{Conversations: []talk{{ID: "t1", Title: "The sea", At: dayOne, Updated: dayOne, Lines: []line{
		{ID: "m1", Role: "user", Text: "I live by the sea.", At: dayOne},
	}}}}))
	talks, err := k.Conversations(ctx, core.ConversationQuery{})
	if err != nil || len(talks.Items) != 1 {
		t.Fatalf("%+v, %v", talks, err)
	}
	thread, err := k.Thread(ctx, talks.Items[0].ID, "", 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	said := thread.Messages[0].ID
	r, err := k.AddMemory(ctx, core.NewMemory{Type: memory.Fact, Content: "Lives by the sea.", Conversation: talks.Items[0].ID, Message: said})
	if err != nil || r.Provenance.ConversationRef != talks.Items[0].ID || r.Provenance.MessageRef != said {
		t.Fatalf("%+v, %v", r.Provenance, err)
	}
	if thread, _ = k.Thread(ctx, talks.Items[0].ID, "", 0, 10); !slices.Contains(thread.Messages[0].Memories, r.ID) {
		t.Errorf("the message does not lead to the memory: %v", thread.Messages[0].Memories)
	}
}

// TestWindow14AStepIsTakenBackLater: UndoStatus works after further changes, which stay;
// superseded_by is cleared, and it is one undoable change.
func TestWindow14AStepIsTakenBackLater(t *testing.T) {
	k := fresh(t)
	one, two := added(t, k, "Keeps bees."), added(t, k, "Sells honey.")
	step := func(id string, next memory.Status, by string) {
		t.Helper()
		k.later(time.Hour)
		ok(k.SetStatus(ctx, id, next, by))
	}
	was := func(id string, want memory.Status) {
		t.Helper()
		if d := ok(k.Memory(ctx, id)); d.Was != want {
			t.Errorf("%s was %q before, not %q", d.Record.Content, d.Was, want)
		}
	}
	_, err := k.UndoStatus(ctx, one.ID)
	wantFault(t, err, fault.Conflict, "no-step-back")

	step(one.ID, memory.Deprecated, "")
	step(one.ID, memory.Retracted, "")
	ok(k.EditMemory(ctx, one.ID, core.MemoryEdit{Tags: &[]string{"hobby"}}))
	step(two.ID, memory.Superseded, one.ID)
	for _, want := range []memory.Status{memory.Deprecated, memory.Active} {
		was(one.ID, want)
		k.later(time.Hour)
		if r := ok(k.UndoStatus(ctx, one.ID)); r.Status != want || len(r.Tags) != 1 {
			t.Fatalf("%+v, not %s with its tag", r, want)
		}
	}
	was(one.ID, "")
	was(two.ID, memory.Active)
	if r := ok(k.UndoStatus(ctx, two.ID)); r.Status != memory.Active || r.Temporal.SupersededBy != "" {
		t.Errorf("%+v is replaced still", r)
	}
	if relations := ok(k.Relations(ctx)); len(relations) != 0 {
		t.Errorf("%+v", relations)
	}
	ok(k.Undo(ctx))
	if d := ok(k.Memory(ctx, two.ID)); d.Record.Status != memory.Superseded || len(d.Relations) != 1 {
		t.Errorf("taking a step back was not undone: %+v", d)
	}
}

// TestWindow14ManyStepsAreTakenBack as one change, and many get another type as one.
func TestWindow14ManyStepsAreTakenBack(t *testing.T) {
	k := fresh(t)
	var ids []string
	for _, text := range []string{"One.", "Two.", "Three."} {
		ids = append(ids, added(t, k, text).ID)
	}
	ok(k.EditMany(ctx, core.ManyEdit{IDs: ids[:2], Status: memory.Retracted}))
	if done := ok(k.EditMany(ctx, core.ManyEdit{IDs: ids, UndoStatus: true})); done != (core.ManyChanged{Changed: 2, Left: 1}) {
		t.Errorf("%+v", done)
	}
	if page := ok(k.Memories(ctx, core.MemoryQuery{Statuses: []memory.Status{memory.Active}})); page.Total != 3 {
		t.Errorf("%d active", page.Total)
	}
	if done := ok(k.EditMany(ctx, core.ManyEdit{IDs: ids, Type: memory.Custom, CustomType: "number"})); done.Changed != 3 {
		t.Errorf("%+v", done)
	}
	if done := ok(k.EditMany(ctx, core.ManyEdit{IDs: ids, Type: memory.Fact})); done.Changed != 3 {
		t.Errorf("%+v", done)
	}
	if done := ok(k.EditMany(ctx, core.ManyEdit{IDs: ids, Type: memory.Fact})); done.Left != 3 {
		t.Errorf("%+v", done)
	}
	ok(k.Undo(ctx))
	if page := ok(k.Memories(ctx, core.MemoryQuery{})); page.Items[0].CustomType != "number" {
		t.Errorf("%+v", page.Items[0])
	}
}
