package core_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/memory"
)

// of is an import of one account, as the person names it.
func (k *kit) of(account, path string, o core.ImportOptions) core.ImportReport {
	k.t.Helper()
	k.later(time.Minute)
	r, err := k.Import(ctx, []core.Input{{Path: path, Account: account}}, o, nil)
	if err != nil {
		k.t.Fatalf("import of %q: %v", account, err)
	}
	addsUp(k.t, r)
	return r
}

// titles lists the conversations of an account, oldest id first; "" is all.
func (k *kit) titles(account ...string) (titles []string) {
	k.t.Helper()
	for _, h := range ok(k.Conversations(ctx, core.ConversationQuery{Accounts: account, Sort: "title"})).Items {
		titles = append(titles, h.Title)
	}
	return titles
}

func (k *kit) texts(account string) (texts []string) {
	k.t.Helper()
	for _, m := range k.memories(core.MemoryQuery{Accounts: []string{account}, Sort: "created"}) {
		texts = append(texts, m.Content)
	}
	return texts
}

// cat is an export whose conversation and statement have the same ids for
// everybody.
func cat(name string, hours int) book {
	c := chat("a", name, hours)
	c.Memories = []statement{said("in-a", "User talks about "+name)}
	return book{Conversations: []talk{c}, Memories: []statement{said("1", "User has a cat called "+name)}}
}

// Promise: two accounts of a provider, of which the exports do not say whose they
// are, stay apart though their ids are the same; what is imported without a name
// keeps its ids.
func TestAccountsWhoseIDsCollide(t *testing.T) {
	k := fresh(t)
	home, work, plain := k.write("home.zip", cat("Mia", 0)), k.write("work.zip", cat("Rex", 0)), k.write("plain.zip", cat("Tom", 0))
	for _, i := range []struct{ account, path string }{{"home", home}, {"work", work}, {"", plain}} {
		plan := ok(k.PlanImport(ctx, []core.Input{{Path: i.path, Account: i.account}}, core.ImportOptions{})).Sources[0]
		if !plan.TakesAccount || plan.Account != i.account || plan.New != 1 {
			t.Errorf("plan of %q: %+v", i.account, plan)
		}
		r := k.of(i.account, i.path, core.ImportOptions{})
		if r.Conversations.New != 1 || r.Memories.New != 2 || r.Sources[0].Account != i.account {
			t.Errorf("%q: %+v", i.account, r)
		}
	}
	k.has(6, 3, 0)
	if th := ok(k.Thread(ctx, importer.ConversationID("parrot", "a"), "", 0, 0)); th.Head.Title != "Tom" || th.Head.AccountID != "" {
		t.Errorf("the default account: %+v", th.Head)
	}
	equal(t, []string{"Mia"}, k.titles("home"))
	equal(t, []string{"Mia", "Rex"}, k.titles("home", "work"))
	equal(t, []string{"User has a cat called Rex", "User talks about Rex"}, sortedTexts(k.texts("work")))
	equal(t, map[string]int{"home": 2, "work": 2}, ok(k.Facets(ctx, core.MemoryQuery{})).Accounts)
	m := k.saying("User talks about Rex")
	if head := ok(k.Memory(ctx, m.ID)).Conversation; head == nil || head.Title != "Rex" || m.Provenance.PlatformUserID != "work" {
		t.Errorf("a memory of work leads to %+v, %+v", head, m.Provenance)
	}

	// Again, as other files: nothing is new for its own account, and one that grew
	// is newer for that one alone.
	if r := k.of("home", k.write("home2.zip", cat("Mia", 0), "more.txt", ""), core.ImportOptions{}); r.Conversations.Unchanged != 1 || r.Memories.Unchanged != 2 || r.Memories.New != 0 {
		t.Errorf("home again: %+v", r)
	}
	if r := k.of("work", k.write("work2.zip", cat("Rex", 5)), core.ImportOptions{}); r.Conversations.Updated != 1 {
		t.Errorf("work, newer: %+v", r)
	}
	if r := k.of("", k.write("plain2.zip", cat("Tom", 0), "more.txt", ""), core.ImportOptions{}); r.Conversations.Unchanged != 1 {
		t.Errorf("the default account again: %+v", r)
	}
	// The very bytes of one account are new for another.
	if r := k.of("third", home, core.ImportOptions{}); r.Identical != "" || r.Conversations.New != 1 || r.Memories.Merged != 2 {
		t.Errorf("the same file of a third account: %+v", r)
	}
	equal(t, map[string]int{"home": 2, "work": 2, "third": 2}, ok(k.Facets(ctx, core.MemoryQuery{})).Accounts)
	k.reopen()
	equal(t, []string{"Mia"}, k.titles("third"))
	equal(t, map[string]int{"home": 2, "work": 2, "third": 2}, ok(k.Facets(ctx, core.MemoryQuery{})).Accounts)

	// What one account asks to be forgotten, another goes on saying.
	k.of("work", k.write("forget.zip", book{Forget: []statement{{Key: "f", Text: "User has a cat called Mia", At: dayOne}}}), core.ImportOptions{})
	if m := k.saying("User has a cat called Mia"); m.Status != memory.Active {
		t.Errorf("retracted by another account: %+v", m)
	}
}

func sortedTexts(all []string) []string {
	if len(all) > 1 && strings.Compare(all[0], all[1]) > 0 {
		all[0], all[1] = all[1], all[0]
	}
	return all
}

// Promise: accounts that exports name themselves stay apart, too, in whatever
// order they come; such an export is not taken for another account.
func TestAccountsThatExportsName(t *testing.T) {
	k := fresh(t)
	mine, theirs := cat("Mia", 0), cat("Rex", 0)
	mine.Account, theirs.Account = "u-1", "u-2"
	a, b := k.write("a.zip", mine), k.write("b.zip", theirs)
	plan := ok(k.PlanImport(ctx, inputs(a), core.ImportOptions{})).Sources[0]
	if plan.TakesAccount || plan.AccountNames["u-1"] != "Ana of u-1" {
		t.Errorf("plan: %+v", plan)
	}
	k.imports(a, b)
	k.imports(k.write("b2.zip", theirs, "more.txt", ""))
	k.has(4, 2, 0)
	equal(t, []string{"Mia"}, k.titles("u-1"))
	equal(t, []string{"Rex"}, k.titles("u-2"))
	if h := ok(k.Memory(ctx, k.saying("User talks about Rex").ID)).Conversation; h == nil || h.Title != "Rex" {
		t.Errorf("a memory of u-2 leads to %+v", h)
	}
	_, err := k.Import(ctx, []core.Input{{Path: a, Account: "work"}}, core.ImportOptions{}, nil)
	if reasonOf(fault.From(err)) != "invalid account-known" {
		t.Errorf("for another account: %v", err)
	}
	if r := k.of("u-1", k.write("a2.zip", mine, "more.txt", ""), core.ImportOptions{}); r.Conversations.Unchanged != 1 {
		t.Errorf("for its own account: %+v", r)
	}
	_, err = k.Import(ctx, []core.Input{{Path: a, Account: strings.Repeat("x", 201)}}, core.ImportOptions{}, nil)
	if reasonOf(fault.From(err)) != "invalid bad-account" {
		t.Errorf("a long name: %v", err)
	}
}

// Promise: an account goes by the name that the plan had for it, also after the vault
// was opened again; one of an import of before goes by who speaks in its conversations,
// and by its own name once an export with that is imported.
func TestWindow08AccountsKeepTheirNames(t *testing.T) {
	k := fresh(t)
	named, old, silent := cat("Mia", 0), cat("Rex", 0), cat("Tom", 0)
	named.Account = "user-AbCdEfGhIjKl"
	old.Account, old.Nameless, old.Conversations[0].Speaker = "u-2", true, "Bea Lima"
	silent.Account, silent.Nameless = "u-3", true
	k.imports(k.write("a.zip", named), k.write("b.zip", old))
	k.imports(k.write("c.zip", silent))
	k.of("work", k.write("d.zip", cat("Leo", 0)), core.ImportOptions{})
	want := []core.Account{
		{ID: "user-AbCdEfGhIjKl", Platform: "parrot", Name: "Ana of user-AbCdEfGhIjKl"}, {ID: "u-2", Platform: "parrot", Name: "Bea Lima"},
		{ID: "u-3", Platform: "parrot"}, {ID: "work", Platform: "parrot", Name: "work"},
	}
	equal(t, want, ok(k.Accounts(ctx)))
	k.reopen()
	equal(t, want, ok(k.Accounts(ctx)))

	silent.Nameless = false
	k.imports(k.write("c2.zip", silent))
	if all := ok(k.Accounts(ctx)); !slices.Contains(all, core.Account{ID: "u-3", Platform: "parrot", Name: "Ana of u-3"}) {
		t.Errorf("after an export that names it: %+v", all)
	}
}

// Promise: reading kept files again knows whose they are, and taking an account's
// import back takes nothing of the other.
func TestAnAccountIsReadAgainAndTakenBack(t *testing.T) {
	k := fresh(t)
	first := k.of("home", k.write("home.zip", cat("Mia", 0)), core.ImportOptions{KeepOriginal: true})
	k.of("work", k.write("work.zip", cat("Rex", 0)), core.ImportOptions{})
	again := ok(k.Reread(ctx, first.ImportID, nil))
	if again.Identical != first.ImportID || again.Sources[0].Account != "home" {
		t.Errorf("read again: %+v", again)
	}
	ok(k.UndoImport(ctx, first.ImportID))
	equal(t, []string{"Rex"}, k.titles())
	k.has(2, 1, 0)
}
