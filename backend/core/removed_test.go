package core_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"keepsake/backend/core"
	"keepsake/backend/fault"
)

// marked lists what is shown as no longer at its provider: titles of conversations
// and texts of memories.
func (k *kit) marked() (marked []string) {
	k.t.Helper()
	for _, h := range ok(k.Conversations(ctx, core.ConversationQuery{})).Items {
		if h.Removed {
			marked = append(marked, h.Title)
		}
		if th := ok(k.Thread(ctx, h.ID, "", 0, 0)); th.Head.Removed != h.Removed {
			k.t.Errorf("%s: the list says %t, the conversation %t", h.Title, h.Removed, th.Head.Removed)
		}
	}
	page := ok(k.Memories(ctx, core.MemoryQuery{}))
	for i, m := range page.Items {
		if page.Removed[i] {
			marked = append(marked, m.Content)
		}
		if d := ok(k.Memory(ctx, m.ID)); d.Removed != page.Removed[i] {
			k.t.Errorf("%s: the list says %t, the memory %t", m.Content, page.Removed[i], d.Removed)
		}
	}
	slices.Sort(marked)
	return marked
}

func whole(memories []statement, talks ...talk) book {
	return book{Whole: true, Conversations: talks, Memories: memories}
}

// rows of exports: what a provider holds from one month to the next.
var (
	cats, tea = said("1", "User has a cat"), said("2", "User drinks tea")
	january   = whole([]statement{cats, tea}, chat("a", "Alpha", 0), chat("b", "Beta", 0))
	february  = whole([]statement{tea}, chat("b", "Beta", 0), chat("c", "Gamma", 2))
	march     = whole([]statement{cats, tea}, chat("a", "Alpha", 0), chat("c", "Gamma", 3))
)

// Promise: what an earlier export of an account held and the newest whole one does
// not, stays and is marked; it is unmarked when it comes back, or when the newest
// import is taken back.
func TestRemovedAtTheProviderIsMarked(t *testing.T) {
	k := fresh(t)
	k.add("User keeps bees") // nobody's but the person's own
	k.of("", k.write("1.zip", january), core.ImportOptions{})
	equal(t, nil, k.marked())
	k.of("", k.write("2.zip", february), core.ImportOptions{})
	equal(t, []string{"Alpha", "User has a cat"}, k.marked())
	k.reopen()
	equal(t, []string{"Alpha", "User has a cat"}, k.marked())
	k.has(3, 3, 0)

	third := k.of("", k.write("3.zip", march), core.ImportOptions{})
	equal(t, []string{"Beta"}, k.marked())
	k.later(time.Minute)
	ok(k.UndoImport(ctx, third.ImportID))
	equal(t, []string{"Alpha", "User has a cat"}, k.marked())

	// The very same files again are not read, and change nothing about it.
	k.of("", k.write("2again.zip", february), core.ImportOptions{})
	equal(t, []string{"Alpha", "User has a cat"}, k.marked())
}

// Promise: an import that brought nothing, and shows only what is lacking, can be
// taken back, too.
func TestAnImportThatOnlyLackedIsTakenBack(t *testing.T) {
	k := fresh(t)
	k.of("", k.write("1.zip", january), core.ImportOptions{})
	fewer := january
	fewer.Conversations, fewer.Memories = fewer.Conversations[1:], fewer.Memories[1:]
	r := k.of("", k.write("2.zip", fewer), core.ImportOptions{})
	equal(t, []string{"Alpha", "User has a cat"}, k.marked())
	if r.Changed {
		t.Error("it is said to have changed something")
	}
	equal(t, core.ImportUndo{ImportID: r.ImportID, Edited: []core.Forgotten{}}, ok(k.PlanUndoImport(ctx, r.ImportID)))
	ok(k.UndoImport(ctx, r.ImportID))
	equal(t, nil, k.marked())
	k.has(2, 2, 0)
	if _, err := k.UndoImport(ctx, r.ImportID); reasonOf(fault.From(err)) != "conflict import-not-undoable" {
		t.Errorf("twice: %v", err)
	}
}

// Promise: an old export that comes after a newer one marks nothing that is newer
// than itself, and what it alone holds is marked at once.
func TestAnOldExportAfterANewerOne(t *testing.T) {
	k := fresh(t)
	k.of("", k.write("2.zip", february), core.ImportOptions{})
	k.of("", k.write("1.zip", january), core.ImportOptions{})
	equal(t, []string{"Alpha", "User has a cat"}, k.marked())
}

// Promise: nothing is marked for an export that need not be all there is, of
// another account, or that was not read to its end.
func TestWhatIsNotWholeMarksNothing(t *testing.T) {
	part, other, broken, bad := february, february, february, february
	part.Whole = false
	other.Account = "somebody-else"
	broken.BreakAfter = 1
	bad.Conversations = append(slices.Clone(bad.Conversations), talk{ID: "x", Bad: true})
	for name, do := range map[string]func(k *kit){
		"a part":          func(k *kit) { k.of("", k.write("2.zip", part), core.ImportOptions{}) },
		"two files":       func(k *kit) { k.imports(k.write("2.zip", february), k.write("3.zip", march)) },
		"named otherwise": func(k *kit) { k.of("work", k.write("2.zip", february), core.ImportOptions{}) },
		"another account": func(k *kit) { k.of("", k.write("2.zip", other), core.ImportOptions{}) },
		"broken off":      func(k *kit) { k.of("", k.write("2.zip", broken), core.ImportOptions{}) },
		"unreadable item": func(k *kit) { k.of("", k.write("2.zip", bad), core.ImportOptions{}) },
		"cancelled": func(k *kit) {
			stopped, stop := context.WithCancel(ctx)
			_, err := k.Import(stopped, inputs(k.write("2.zip", february)), core.ImportOptions{}, func(core.Progress) { stop() })
			if err == nil {
				k.t.Error("was not cancelled")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			k := fresh(t)
			k.of("", k.write("1.zip", january), core.ImportOptions{})
			do(k)
			equal(t, nil, k.marked())
		})
	}
	t.Run("only memories", func(t *testing.T) {
		k := fresh(t)
		k.of("", k.write("1.zip", january), core.ImportOptions{})
		k.of("", k.write("2.zip", february), core.ImportOptions{OnlyMemories: true})
		equal(t, []string{"User has a cat"}, k.marked())
	})
}

// Promise: what two accounts held is marked only once neither holds it.
func TestWhatAnotherAccountHoldsIsNotRemoved(t *testing.T) {
	k := fresh(t)
	k.of("", k.write("1.zip", january), core.ImportOptions{})
	k.of("work", k.write("w1.zip", whole([]statement{cats}, chat("a", "At work", 0))), core.ImportOptions{})
	k.of("", k.write("2.zip", february), core.ImportOptions{})
	equal(t, []string{"Alpha"}, k.marked())
	k.of("work", k.write("w2.zip", whole(nil, chat("b", "At work too", 4))), core.ImportOptions{})
	equal(t, []string{"Alpha", "At work", "User has a cat"}, k.marked())
}
