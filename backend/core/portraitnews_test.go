package core_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

// news lists what the exports differ in: "+" learned, "~" changed (before → after), "-" dropped.
func (k *kit) news() (lines []string) {
	k.t.Helper()
	for _, n := range ok(k.PortraitNews(ctx, core.NewsQuery{})) {
		for _, s := range n.Learned.First {
			lines = append(lines, "+ "+s.Content)
		}
		for _, s := range n.Changed.First {
			lines = append(lines, "~ "+s.Before+" → "+s.Content)
		}
		for _, s := range n.Dropped.First {
			lines = append(lines, "- "+s.Content)
		}
	}
	return lines
}

// toDelete lists what to delete at platforms.
func (k *kit) toDelete() (lines []string) {
	k.t.Helper()
	for _, d := range ok(k.PortraitDeletions(ctx, core.NewsQuery{})) {
		for _, s := range d.First {
			lines = append(lines, d.Platform+": "+s.Content)
		}
	}
	return lines
}

// timeless is a statement of a memory list without times.
func timeless(key, text string) statement { return statement{Key: key, Text: text} }

var (
	dog, flat, garden = timeless("1", "User has a dog"), timeless("2", "User lives in Porto"), timeless("3", "User rents a garden")
	spring            = whole([]statement{dog, flat}, chat("a", "Alpha", 0))
	summer            = whole([]statement{timeless("2", "User lives in Braga"), garden}, chat("a", "Alpha", 0), chat("b", "Beta", 24))
)

// TestPortraitNews: of two exports of one account exactly the sentences that the second one has
// new, lacks and has in other words are told, with the day up to which the first one told; of a
// first export none are, and none after the second one is undone.
func TestPortraitNews(t *testing.T) {
	k := fresh(t)
	k.of("", k.write("1.zip", spring), core.ImportOptions{})
	equal(t, nil, k.news())
	k.later(24 * time.Hour)
	second := k.of("", k.write("2.zip", summer), core.ImportOptions{})
	want := []string{"+ User rents a garden", "~ User lives in Porto → User lives in Braga", "- User has a dog"}
	equal(t, want, k.news())
	n := ok(k.PortraitNews(ctx, core.NewsQuery{}))[0]
	equal(t, "parrot", n.Platform)
	equal(t, memory.At(dayOne), n.Since)
	equal(t, 2, n.Left)
	k.reopen()
	equal(t, want, k.news())
	k.of("", k.write("again.zip", summer), core.ImportOptions{}) // the very same file is no other export
	equal(t, want, k.news())

	ok(k.ConfirmMemories(ctx, []string{k.saying("User rents a garden").ID}))
	ok(k.SetStatus(ctx, k.saying("User lives in Braga").ID, memory.Retracted, ""))
	n = ok(k.PortraitNews(ctx, core.NewsQuery{}))[0]
	equal(t, 0, n.Left)
	equal(t, true, n.Learned.First[0].Reviewed)
	equal(t, memory.Retracted, n.Changed.First[0].Status)
	equal(t, want, k.news())
	ok(k.Undo(ctx))
	ok(k.Undo(ctx))

	k.later(time.Minute)
	ok(k.UndoImport(ctx, second.ImportID))
	equal(t, nil, k.news())
}

// TestPortraitNewsOfNothing: two exports that do not differ give empty lists, and an unknown list is refused.
func TestPortraitNewsOfNothing(t *testing.T) {
	k := fresh(t)
	equal(t, []core.PortraitNews{}, ok(k.PortraitNews(ctx, core.NewsQuery{})))
	equal(t, []core.PortraitDeletions{}, ok(k.PortraitDeletions(ctx, core.NewsQuery{})))
	k.of("", k.write("1.zip", spring), core.ImportOptions{})
	later := spring
	later.Conversations = append(later.Conversations, chat("c", "Gamma", 30))
	k.of("", k.write("2.zip", later), core.ImportOptions{})
	equal(t, nil, k.news())
	_, err := k.PortraitNews(ctx, core.NewsQuery{List: "gossip"})
	wantFault(t, err, fault.Invalid, "unknown-news")
}

// TestPortraitNewsTellsNoMoreThanTheExportsDo: a sentence is called learned only where the export
// before would have had it or where it was said after that one, and dropped only where the newest
// one holds all memories; an older export that comes later is no news, and neither is what another
// account holds.
func TestPortraitNewsTellsNoMoreThanTheExportsDo(t *testing.T) {
	part := func(b book) book { b.Whole = false; return b }
	old := book{Whole: true, Memories: []statement{{Key: "9", Text: "User takes tea", At: dayOne.Add(-time.Hour)}, garden}, Conversations: summer.Conversations}
	dated := book{Memories: []statement{dog, {Key: "9", Text: "User takes tea", At: dayOne.Add(time.Hour)}}, Conversations: summer.Conversations}
	broken := part(summer)
	broken.BreakAfter = 1
	for name, one := range map[string]struct {
		do   func(k *kit)
		want []string
	}{
		"the export before was no whole one": {func(k *kit) {
			k.of("", k.write("1.zip", part(spring)), core.ImportOptions{})
			k.of("", k.write("2.zip", part(summer)), core.ImportOptions{})
		}, []string{"~ User lives in Porto → User lives in Braga"}},
		"said after it": {func(k *kit) {
			k.of("", k.write("1.zip", part(spring)), core.ImportOptions{})
			k.of("", k.write("2.zip", dated), core.ImportOptions{})
		}, []string{"+ User takes tea"}},
		"said before it, and not found then": {func(k *kit) {
			k.of("", k.write("1.zip", whole([]statement{garden}, chat("a", "Alpha", 0))), core.ImportOptions{})
			k.of("", k.write("2.zip", old), core.ImportOptions{})
		}, nil},
		"an older export comes later": {func(k *kit) {
			k.of("", k.write("2.zip", whole([]statement{garden}, chat("b", "Beta", 24))), core.ImportOptions{})
			k.of("", k.write("1.zip", whole([]statement{dog, garden}, chat("a", "Alpha", 0))), core.ImportOptions{})
		}, []string{"- User has a dog"}}, // said in none of the newest, which is what the day says
		"another account": {func(k *kit) {
			k.of("home", k.write("1.zip", spring), core.ImportOptions{})
			k.of("work", k.write("2.zip", summer), core.ImportOptions{})
		}, nil},
		"only conversations": {func(k *kit) {
			k.of("", k.write("1.zip", spring), core.ImportOptions{OnlyConversations: true})
			k.of("", k.write("2.zip", summer), core.ImportOptions{})
		}, nil},
		"one that broke off": {func(k *kit) {
			k.of("", k.write("1.zip", spring), core.ImportOptions{})
			_, _ = k.Import(ctx, inputs(k.write("2.zip", broken)), core.ImportOptions{}, nil)
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			k := fresh(t)
			one.do(k)
			equal(t, one.want, k.news())
		})
	}
}

// TestPortraitNewsInParts: each list is counted whole, and read in parts.
func TestPortraitNewsInParts(t *testing.T) {
	k := fresh(t)
	k.of("", k.write("1.zip", spring), core.ImportOptions{})
	more := spring
	for i := range 30 {
		more.Memories = append(more.Memories, timeless(fmt.Sprint("m", i), fmt.Sprintf("User has fish number %d", i)))
	}
	more.Conversations = append(more.Conversations, chat("b", "Beta", 24))
	k.of("", k.write("2.zip", more), core.ImportOptions{})
	n := ok(k.PortraitNews(ctx, core.NewsQuery{}))[0]
	equal(t, []int{30, 12}, []int{n.Learned.Total, len(n.Learned.First)})
	rest := ok(k.PortraitNews(ctx, core.NewsQuery{Platform: "parrot", List: "learned", Offset: 12, Limit: 200}))[0]
	equal(t, []int{30, 18}, []int{rest.Learned.Total, len(rest.Learned.First)})
	equal(t, "User has fish number 0", rest.Learned.First[17].Content)
	equal(t, []core.PortraitNews{}, ok(k.PortraitNews(ctx, core.NewsQuery{Platform: "macaw"})))
}

// TestPortraitDeletions: what is called wrong or ended, and stands in the newest export of its
// account, is listed in the words of the export; what that one does not have any more is not, nor
// what is true, or was merged into what says the same.
func TestPortraitDeletions(t *testing.T) {
	k := fresh(t)
	k.of("", k.write("1.zip", whole([]statement{dog, flat, garden, timeless("4", "User keeps a garden")}, chat("a", "Alpha", 0))), core.ImportOptions{})
	equal(t, nil, k.toDelete())
	ok(k.EditMany(ctx, core.ManyEdit{IDs: []string{k.saying("User has a dog").ID}, Status: memory.Retracted}))
	home := k.saying("User lives in Porto").ID
	ok(k.EditMemory(ctx, home, core.MemoryEdit{Content: to("Lives near Porto")}))
	ok(k.EndMemory(ctx, home, core.Ending{Instead: "Lives in Faro"}))
	ok(k.MergeMemories(ctx, k.saying("User rents a garden").ID, k.saying("User keeps a garden").ID))
	want := []string{"parrot: User lives in Porto", "parrot: User has a dog"}
	equal(t, want, k.toDelete())
	k.reopen()
	equal(t, want, k.toDelete())

	k.of("", k.write("2.zip", whole([]statement{garden, flat}, chat("a", "Alpha", 0), chat("b", "Beta", 24))), core.ImportOptions{})
	equal(t, want[:1], k.toDelete())
}

// TestWhatTheAssistantTookBackIsNotToDelete: a memory that its platform itself took back is none
// that it still believes.
func TestWhatTheAssistantTookBackIsNotToDelete(t *testing.T) {
	k := fresh(t)
	b := spring
	k.of("", k.write("1.zip", b), core.ImportOptions{})
	b.Forget = []statement{{Key: "f", Text: "User has a dog", At: dayOne.Add(time.Hour)}}
	b.Conversations = append(b.Conversations, chat("b", "Beta", 24))
	k.of("", k.write("2.zip", b), core.ImportOptions{})
	equal(t, memory.Retracted, k.saying("User has a dog").Status)
	equal(t, nil, k.toDelete())
}

// TestMarkAsked: what was asked to be forgotten is not listed again: not after the same export, not
// after a later one that still has it, not after an export to a vault of the same owner; one undo
// takes it back. By the word of somebody else nothing was asked.
func TestMarkAsked(t *testing.T) {
	k := fresh(t)
	k.of("", k.write("1.zip", spring), core.ImportOptions{})
	id := k.saying("User has a dog").ID
	equal(t, core.ManyChanged{Left: 1}, ok(k.MarkAsked(ctx, "parrot", []string{id}))) // it is true
	ok(k.SetStatus(ctx, id, memory.Retracted, ""))
	listed := []string{"parrot: User has a dog"}
	equal(t, listed, k.toDelete())
	equal(t, core.ManyChanged{Left: 1}, ok(k.MarkAsked(ctx, "macaw", []string{id}))) // it never told it
	equal(t, core.ManyChanged{Changed: 1}, ok(k.MarkAsked(ctx, "parrot", []string{id})))
	equal(t, core.ManyChanged{Left: 1}, ok(k.MarkAsked(ctx, "parrot", []string{id})))
	equal(t, nil, k.toDelete())
	ok(k.Undo(ctx))
	equal(t, listed, k.toDelete())
	ok(k.Redo(ctx))
	k.reopen()
	equal(t, nil, k.toDelete())
	later := spring
	later.Conversations = append(later.Conversations, chat("b", "Beta", 24))
	k.of("", k.write("1.zip", spring), core.ImportOptions{})
	k.of("", k.write("2.zip", later), core.ImportOptions{})
	equal(t, nil, k.toDelete())

	over := core.ExportOptions{Statuses: memory.Statuses()}
	_, document := k.export("own.json", over)
	stripping := over
	stripping.StripIDs = true
	_, stripped := k.export("stripped.json", stripping)
	for name, text := range map[string][]byte{"own": document, "stripped": stripped} {
		if !strings.Contains(string(text), `"keepsake_asked"`) {
			t.Errorf("%s: what was asked does not leave", name)
		}
	}
}

// TestAskedTravels: the mark comes back with a document that this owner signed, and counts for
// nothing in one of somebody else.
func TestAskedTravels(t *testing.T) {
	document := func(k *kit) []byte {
		k.of("", k.write("1.zip", spring), core.ImportOptions{})
		id := k.saying("User has a dog").ID
		ok(k.SetStatus(ctx, id, memory.Retracted, ""))
		ok(k.MarkAsked(ctx, "parrot", []string{id}))
		_, text := k.export("own.json", core.ExportOptions{Statuses: memory.Statuses()})
		return text
	}
	k := fresh(t)
	own := document(k)
	for len(ok(k.Memories(ctx, core.MemoryQuery{})).Items) > 0 {
		ok(k.Undo(ctx))
	}
	k.take("back.json", own, core.ImportOptions{})
	k.of("", k.write("2.zip", spring), core.ImportOptions{})
	equal(t, memory.Retracted, k.saying("User has a dog").Status)
	equal(t, nil, k.toDelete())

	other := fresh(t)
	other.take("theirs.json", own, core.ImportOptions{})
	other.of("", other.write("2.zip", spring), core.ImportOptions{})
	equal(t, []string{"parrot: User has a dog"}, other.toDelete())
	dog := other.saying("User has a dog").ID
	equal(t, core.ManyChanged{Changed: 1}, ok(other.MarkAsked(ctx, "parrot", []string{dog})))
	equal(t, nil, other.toDelete())
	other.take("theirs-again.json", own, core.ImportOptions{})
	equal(t, nil, other.toDelete())
}
