package core_test

import (
	"strings"
	"testing"

	"keepsake/backend/core"
	"keepsake/backend/memory"
)

// Promise (L13): a forgotten statement does not come back in nearly the same words, and
// one that says something else does.
func TestForgottenInNearlyTheSameWords(t *testing.T) {
	k := full(t)
	_, text := k.export("out.pam.json", core.ExportOptions{})
	ok(k.Forget(ctx, []string{k.saying("User drinks green tea").ID}, nil))
	tried := 0
	for _, words := range []string{"User drinks green tea.", "User drinks green tea!", "user drinks GREEN tea", "User  drinks\u00a0green tea", "“User drinks green tea”", "- User drinks green tea", "User drinks gre\u0301en tea", "User drinks green tea \n", "User drinks green tea…"} {
		d := parse(t, text)
		m := d.saying("User drinks green tea")
		m["id"], m["content"], m["content_hash"] = "77777777-0000-4000-8000-000000000000", words, memory.ContentHash(words)
		d["export_id"] = words
		if r := k.take("again.json", d.only(m).text(k), core.ImportOptions{}); r.Memories.New != 0 || r.Ledger[0].Skipped["forgotten"] != 1 {
			t.Errorf("%q came back: %+v", words, r.Ledger)
		}
		tried++
	}
	for _, words := range []string{"User drinks green tea++", "User drinks no green tea", "User drinks green"} {
		d := parse(t, text)
		m := d.saying("User drinks green tea")
		m["id"], m["content"], m["content_hash"] = "77777777-0000-4000-8000-00000000000"+string(rune('0'+len(words)%10)), words, memory.ContentHash(words)
		d["export_id"] = words
		if r := k.take("other.json", d.only(m).text(k), core.ImportOptions{}); r.Memories.New != 1 {
			t.Errorf("%q was taken for the forgotten: %+v", words, r.Ledger)
		}
	}
	t.Logf("%d spellings, 0 came back", tried)
}

// Promise (L13): what is the person's own and says the same is named before anything is
// forgotten: tasks, saved views and drafts of new memories.
func TestForgettingNamesWhatStays(t *testing.T) {
	k := full(t)
	ok(k.AddTodo(ctx, core.TodoEdit{Content: to("Remember: user drinks green tea!")}))
	ok(k.AddTodo(ctx, core.TodoEdit{Content: to("Water the plants")}))
	if err := k.SaveView(ctx, core.SavedView{Name: "Tea", Query: core.MemoryQuery{Text: "User drinks green tea"}}); err != nil {
		t.Fatal(err)
	}
	if err := k.KeepDraft(ctx, core.Draft{Content: "User drinks green tea, and more"}); err != nil {
		t.Fatal(err)
	}
	plan := ok(k.PlanForget(ctx, core.ForgetQuery{IDs: []string{k.saying("User drinks green tea").ID}}))
	var kinds []string
	for _, left := range plan.Left {
		kinds = append(kinds, left.Kind)
	}
	if got := strings.Join(kinds, " "); got != "task view draft" {
		t.Errorf("named are %q", got)
	}
	if plan := ok(k.PlanForget(ctx, core.ForgetQuery{IDs: []string{k.saying("User is called Ana").ID}})); len(plan.Left) != 0 {
		t.Errorf("of something else: %+v", plan.Left)
	}
}
