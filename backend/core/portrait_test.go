package core_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

// portrait lists the contents of the sentences, by chapter.
func (k *kit) portrait(q core.PortraitQuery) map[string][]string {
	k.t.Helper()
	all := map[string][]string{}
	for _, part := range ok(k.Portrait(ctx, q)).Chapters {
		for _, s := range part.Sentences {
			all[part.Chapter.String()] = append(all[part.Chapter.String()], s.Content)
		}
	}
	return all
}

// sentence returns the sentence that begins with a memory.
func (k *kit) sentence(id string) (found core.Sentence) {
	k.t.Helper()
	for _, part := range ok(k.Portrait(ctx, core.PortraitQuery{})).Chapters {
		for _, s := range part.Sentences {
			if s.ID == id {
				return s
			}
		}
	}
	return found
}

// told imports statements, none of which the person wrote.
func (k *kit) told(texts ...string) (ids []string) {
	k.t.Helper()
	var all []statement
	for i, text := range texts {
		all = append(all, statement{Key: fmt.Sprint(text[:1], i), Text: text, At: dayOne, Confidence: 0.6})
	}
	k.imports(k.write("told.zip", book{Account: "ana", Memories: all}))
	for _, text := range texts {
		ids = append(ids, k.saying(text).ID)
	}
	return ids
}

// TestPortrait: active memories stand in their chapters, the most important and the most often told
// first; what is retracted is in none.
func TestPortrait(t *testing.T) {
	k := fresh(t)
	ids := k.told("User has a dog", "User takes insulin", "User lives in a flat", "User works as a nurse")
	k.imports(k.write("again.zip", book{Account: "bea", Memories: []statement{{Key: "z", Text: "User lives in a flat", At: dayOne}}}))
	want := map[string][]string{"home": {"User has a dog", "User lives in a flat"}, "work": {"User works as a nurse"}, "health": {"User takes insulin"}}
	equal(t, want, k.portrait(core.PortraitQuery{}))
	ok(k.EditMemory(ctx, ids[2], core.MemoryEdit{Importance: to(0.9)}))
	want["home"] = []string{"User lives in a flat", "User has a dog"}
	equal(t, want, k.portrait(core.PortraitQuery{}))
	k.reopen()
	equal(t, want, k.portrait(core.PortraitQuery{}))

	s := k.sentence(ids[2])
	equal(t, 2, s.Told)
	equal(t, []string{"parrot"}, s.Platforms)
	p := ok(k.Portrait(ctx, core.PortraitQuery{Chapter: "home", Offset: 1, Limit: 5}))
	equal(t, 4, p.Total)
	equal(t, 2, p.Chapters[0].Total)
	equal(t, "User has a dog", p.Chapters[0].Sentences[0].Content)
	_, err := k.Portrait(ctx, core.PortraitQuery{Chapter: "zodiac"})
	wantFault(t, err, fault.Invalid, "unknown-chapter")

	ok(k.SetStatus(ctx, ids[1], memory.Retracted, ""))
	equal(t, nil, k.portrait(core.PortraitQuery{})["health"])
	equal(t, 3, ok(k.Portrait(ctx, core.PortraitQuery{})).Total)
}

// TestPortraitOfNothing: an empty vault has an empty portrait.
func TestPortraitOfNothing(t *testing.T) {
	text := string(ok(json.Marshal(ok(fresh(t).Portrait(ctx, core.PortraitQuery{})))))
	equal(t, `{"chapters":[],"total":0,"left":0}`, text)
}

// TestPortraitFoldsWhatIsSaidTwice: memories that say the same in other words are one sentence, told
// as often as all of them; it is reviewed when all of them are.
func TestPortraitFoldsWhatIsSaidTwice(t *testing.T) {
	k := comparing(t, "")
	k.told("User prefers coffee without sugar", "Mag seinen Kaffee ohne Zucker", "User prefers window seats")
	succeeds(t, k.MakeVectors(ctx, 0))
	var coffee core.Sentence
	for _, part := range ok(k.Portrait(ctx, core.PortraitQuery{})).Chapters {
		for _, s := range part.Sentences {
			if len(s.Also) > 0 {
				coffee = s
			}
		}
	}
	if len(coffee.Also) != 1 || coffee.Told != 2 || !strings.Contains(strings.ToLower(coffee.Content), "offee") && !strings.Contains(coffee.Content, "Kaffee") {
		t.Fatalf("folded: %+v", coffee)
	}
	equal(t, 2, ok(k.Portrait(ctx, core.PortraitQuery{})).Total)
	ok(k.ConfirmMemories(ctx, []string{coffee.ID}))
	equal(t, 2, ok(k.Portrait(ctx, core.PortraitQuery{})).Left)
	ok(k.ConfirmMemories(ctx, coffee.Also))
	equal(t, 1, ok(k.Portrait(ctx, core.PortraitQuery{})).Left)
}

// TestPortraitReview: a review is one change, raises the certainty, moves no sentence, is left by an import of
// the same statement, ends when the content changes, and is no edit, so that an import goes on to
// bring what the source says later.
func TestPortraitReview(t *testing.T) {
	k := fresh(t)
	ids := k.told("User has a dog", "User lives in a flat", "User rents a garden")
	order := k.portrait(core.PortraitQuery{})
	equal(t, 3, ok(k.Portrait(ctx, core.PortraitQuery{})).Left)
	before := k.byID(ids[1]).Confidence.Value()
	k.later(time.Hour)
	equal(t, core.ManyChanged{Changed: 2}, ok(k.ConfirmMemories(ctx, ids[1:])))
	equal(t, core.ManyChanged{Left: 2}, ok(k.ConfirmMemories(ctx, ids[1:]))) // in another tab
	if after := k.byID(ids[1]).Confidence.Value(); after <= before {
		t.Errorf("certainty %v after %v", after, before)
	}
	equal(t, order, k.portrait(core.PortraitQuery{}))
	equal(t, map[string][]string{"home": {"User has a dog"}}, k.portrait(core.PortraitQuery{Left: true}))
	ok(k.Undo(ctx))
	equal(t, 3, ok(k.Portrait(ctx, core.PortraitQuery{})).Left)
	ok(k.Redo(ctx))
	k.reopen()
	equal(t, 1, ok(k.Portrait(ctx, core.PortraitQuery{})).Left)

	k.told("User has a dog", "User lives in a flat", "User rents a garden") // the same export again
	equal(t, 1, ok(k.Portrait(ctx, core.PortraitQuery{})).Left)
	equal(t, 0, ok(k.Memory(ctx, ids[1])).Versions)
	ok(k.EditMemory(ctx, ids[1], core.MemoryEdit{Tags: to([]string{"flat"})}))
	equal(t, true, k.sentence(ids[1]).Reviewed)
	ok(k.EditMemory(ctx, ids[0], core.MemoryEdit{Content: to("Has two dogs")}))
	equal(t, true, k.sentence(ids[0]).Reviewed) // the person wrote it
	_, err := k.ConfirmMemories(ctx, []string{"nobody"})
	wantFault(t, err, fault.NotFound, "no-memory")
}

// TestWrongStaysAway: what the person called wrong is not brought back by the same export, or by one
// with new statements.
func TestWrongStaysAway(t *testing.T) {
	k := fresh(t)
	ids := k.told("User has a dog", "User lives in a flat")
	ok(k.EditMany(ctx, core.ManyEdit{IDs: ids[:1], Status: memory.Retracted}))
	k.told("User has a dog", "User lives in a flat", "User rents a garden")
	equal(t, map[string][]string{"home": {"User lives in a flat", "User rents a garden"}}, sortedEach(k.portrait(core.PortraitQuery{})))
}

func sortedEach(by map[string][]string) map[string][]string {
	for _, all := range by {
		slices.Sort(all)
	}
	return by
}

// TestReviewTravels: review and chapter leave in an export, and come back with it where this owner
// signed it; by somebody else's word nothing is reviewed.
func TestReviewTravels(t *testing.T) {
	k := fresh(t)
	ids := k.told("User has a dog", "User lives in a flat")
	ok(k.ConfirmMemories(ctx, ids[:1]))
	ok(k.MoveMemories(ctx, ids[:1], "people"))
	_, document := k.export("own.json", core.ExportOptions{})
	if text := string(document); !strings.Contains(text, `"keepsake_review"`) || !strings.Contains(text, `"keepsake_chapter":"people"`) && !strings.Contains(text, `"keepsake_chapter": "people"`) {
		t.Error("review and chapter do not leave")
	}
	_, stripped := k.export("stripped.json", core.ExportOptions{StripIDs: true})
	if !strings.Contains(string(stripped), `"keepsake_review"`) {
		t.Error("the review leaves not where ids are stripped")
	}
	for range 3 {
		ok(k.Undo(ctx))
	}
	equal(t, 0, ok(k.Portrait(ctx, core.PortraitQuery{})).Total)
	k.take("back.json", document, core.ImportOptions{})
	p := ok(k.Portrait(ctx, core.PortraitQuery{}))
	equal(t, 1, p.Left)
	equal(t, map[string][]string{"people": {"User has a dog"}, "home": {"User lives in a flat"}}, k.portrait(core.PortraitQuery{}))

	other := fresh(t)
	other.take("theirs.json", document, core.ImportOptions{})
	equal(t, 2, ok(other.Portrait(ctx, core.PortraitQuery{})).Left)
	dog := other.saying("User has a dog").ID
	equal(t, core.ManyChanged{Changed: 1}, ok(other.ConfirmMemories(ctx, []string{dog})))
	equal(t, true, other.sentence(dog).Reviewed)
}

// TestMoveMemories: the person's chapter wins, is kept, and can be taken back.
func TestMoveMemories(t *testing.T) {
	k := fresh(t)
	id := k.told("User has a dog")[0]
	equal(t, core.ManyChanged{Changed: 1}, ok(k.MoveMemories(ctx, []string{id}, "health")))
	equal(t, core.ManyChanged{Left: 1}, ok(k.MoveMemories(ctx, []string{id}, "health")))
	equal(t, map[string][]string{"health": {"User has a dog"}}, k.portrait(core.PortraitQuery{}))
	equal(t, true, k.sentence(id).Moved)
	k.told("User has a dog")
	k.reopen()
	equal(t, map[string][]string{"health": {"User has a dog"}}, k.portrait(core.PortraitQuery{}))
	ok(k.MoveMemories(ctx, []string{id}, ""))
	equal(t, map[string][]string{"home": {"User has a dog"}}, k.portrait(core.PortraitQuery{}))
	_, err := k.MoveMemories(ctx, []string{id}, "zodiac")
	wantFault(t, err, fault.Invalid, "unknown-chapter")
}

// TestEndMemory: what is not true any more is retracted, or superseded by what holds instead, in one
// change that one undo takes back.
func TestEndMemory(t *testing.T) {
	k := fresh(t)
	ids := k.told("User has a dog", "User lives in Porto")
	since := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	next := ok(k.EndMemory(ctx, ids[1], core.Ending{Since: since, Instead: " Lives in Braga "}))
	equal(t, "Lives in Braga", next.Content)
	was := k.byID(ids[1])
	equal(t, memory.Superseded, was.Status)
	equal(t, next.ID, was.Temporal.SupersededBy)
	equal(t, memory.At(since), was.Temporal.ValidUntil)
	equal(t, true, k.sentence(next.ID).Reviewed)
	equal(t, 1, len(ok(k.Memory(ctx, next.ID)).Relations))
	ok(k.Undo(ctx))
	equal(t, memory.Active, k.byID(ids[1]).Status)

	ok(k.EndMemory(ctx, ids[0], core.Ending{}))
	equal(t, memory.Retracted, k.byID(ids[0]).Status)
	equal(t, memory.Time{}, k.byID(ids[0]).Temporal.ValidUntil)
	before := state(k)
	for _, wrong := range []struct {
		id     string
		ending core.Ending
		reason string
	}{
		{ids[0], core.Ending{}, "end-inactive"},
		{ids[1], core.Ending{Instead: "User lives in Porto"}, "end-same"},
		{"nobody", core.Ending{}, "no-memory"},
	} {
		_, err := k.EndMemory(ctx, wrong.id, wrong.ending)
		equal(t, wrong.reason, fault.From(err).Reason)
		equal(t, before, state(k))
	}
}

// TestReviewAtOnce: two tabs that review the same memories note each review once.
func TestReviewAtOnce(t *testing.T) {
	k := fresh(t)
	var texts []string
	for i := range 20 {
		texts = append(texts, fmt.Sprintf("User has dog number %d", i))
	}
	ids := k.told(texts...)
	var changed [2]int
	var tabs sync.WaitGroup
	for tab := range changed {
		tabs.Go(func() {
			for _, id := range ids {
				n, err := k.ConfirmMemories(ctx, []string{id})
				if err != nil {
					t.Error(err)
				}
				changed[tab] += n.Changed
			}
		})
	}
	tabs.Wait()
	equal(t, len(ids), changed[0]+changed[1])
	equal(t, 0, ok(k.Portrait(ctx, core.PortraitQuery{})).Left)
}

// TestACircleWithoutTopicsLooksForNone: of a circle that holds no topic back no memory is looked
// through for one, which takes seconds in a large vault.
func TestACircleWithoutTopicsLooksForNone(t *testing.T) {
	k := fresh(t)
	ids := k.adds("Takes insulin for diabetes.", "Likes trains.")
	ok(k.MakeCircle(ctx, core.Circle{Name: "Friends"}))
	ok(k.JoinCircle(ctx, "friends", ids, true))
	ok(k.MakeCircle(ctx, core.Circle{Name: "Work", Without: []core.SensitiveTopic{"health"}}))
	ok(k.JoinCircle(ctx, "work", ids, true))
	p := ok(k.PreviewCircle(ctx, "friends"))
	equal(t, 2, p.Leaves)
	equal(t, 0, p.ByWords)
	equal(t, 2, ok(k.PreviewCircle(ctx, "work")).ByWords)
}
