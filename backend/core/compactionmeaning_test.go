package core_test

import (
	"slices"
	"testing"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

// TestCompactRepeats: memories that say the same in other words or another language are
// planned together, with the text of the longer one, which stays; what differs in a number, a
// date or a negation, what was passed over and what is about health is not. They are archived
// by their ids only, never by a kind.
func TestCompactRepeats(t *testing.T) {
	k := comparing(t, "")
	k.adds(facts...)
	ids := k.adds(
		"Works as a senior data engineer at a logistics company in Rotterdam.",
		"User is a senior data engineer who works for a logistics firm.",
		"Der Nutzer ist Senior Data Engineer und arbeitet für ein Logistikunternehmen.",
		"Has two cats.", "Tem três gatos.", "Hat zwei Katzen.",
		"Enjoys skiing.", "Does not enjoy skiing.",
		"Is allergic to penicillin.", "Tem alergia a penicilina.",
	)
	if got := k.planned(); len(got) != 0 {
		t.Errorf("without vectors: %v", got)
	}
	k.means(text("anything"))
	stays := func() map[string]string {
		t.Helper()
		all := map[string]string{}
		for _, item := range ok(k.PlanCompaction(ctx)).Items {
			if kept := ok(k.Memory(ctx, item.Keeps)).Record; !item.Is(core.CompactRepeat) || item.KeepsTitle != kept.Title() {
				t.Errorf("%+v", item)
			}
			all[item.ID] = item.Keeps
		}
		return all
	}
	equal(t, map[string]string{ids[0]: ids[2], ids[1]: ids[2], ids[3]: ids[5]}, stays())

	_, err := k.ApplyCompaction(ctx, core.CompactionChoice{Kinds: append(core.CompactionKinds(), core.CompactRepeat)})
	wantFault(t, err, fault.NotFound, "nothing-to-compact")
	equal(t, core.Compacted{Archived: 1}, ok(k.ApplyCompaction(ctx, core.CompactionChoice{IDs: []string{ids[0]}})))
	for i, id := range ids {
		if archived := ok(k.Memory(ctx, id)).Record.Status == memory.Archived; archived != (i == 0) {
			t.Errorf("%s is archived: %v", id, archived)
		}
	}
	if err := k.PassOver(ctx, ids[1], ids[2], true); err != nil {
		t.Fatal(err)
	}
	if got := stays(); got[ids[1]] != "" || slices.Contains(core.CompactionKinds(), core.CompactRepeat) {
		t.Errorf("passed over: %v", got)
	}
}
