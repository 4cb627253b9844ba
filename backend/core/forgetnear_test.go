package core_test

import (
	"slices"
	"testing"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

// TestForgetPreviewsByMeaning: a search by words selects what has them; what is close in
// meaning, archived or in another language or said in a conversation, is listed apart. What is
// erased is exactly what the plan selects: what is close only where it was picked by its id.
func TestForgetPreviewsByMeaning(t *testing.T) {
	for _, picks := range []bool{false, true} {
		k := comparing(t, "")
		rest := k.adds(facts...)
		ids := k.adds("Has an appointment with a psychiatrist on Thursdays.", "Vai ao psiquiatra às quintas-feiras.", "Geht jeden Donnerstag zum Psychiater.")
		ok(k.SetStatus(ctx, ids[2], memory.Archived, ""))
		k.writes("doctor", "I see my psychiatrist every Thursday, she moved the appointment.")
		k.means(text("anything"))
		talk := ok(k.Conversations(ctx, core.ConversationQuery{})).Items[0].ID

		q := core.ForgetQuery{Texts: []string{"psychiatrist"}}
		want, near := ids[:1], []string{ids[1], ids[2], talk}
		equal(t, sorted(slices.Clone(near)), nearIDs(k, q))
		equal(t, sorted(slices.Clone(near)), nearIDs(k, core.ForgetQuery{Library: &core.MemoryQuery{Text: "psychiatrist"}}))
		if picks {
			q.Also = []string{ids[1], talk}
			want, near = ids[:2], ids[2:]
		}
		plan := ok(k.PlanForget(ctx, q))
		equal(t, want, plan.Memories)
		equal(t, near, nearIDs(k, q))
		ok(k.Forget(ctx, plan.Memories, plan.Conversations))
		for i, id := range slices.Concat(ids, rest) {
			if _, err := k.Memory(ctx, id); (err == nil) == (i < len(want)) {
				t.Errorf("picked %v: %d of %d: %v", picks, i, len(want), err)
			}
		}
		if _, err := k.Thread(ctx, talk, "", 0, 1); (err == nil) == picks {
			t.Errorf("picked %v: the conversation: %v", picks, err)
		}
	}
}

func nearIDs(k *kit, q core.ForgetQuery) (ids []string) {
	k.t.Helper()
	for _, one := range ok(k.PlanForget(ctx, q)).Near {
		ids = append(ids, one.ID)
	}
	return sorted(ids)
}

// TestForgetPreviewsByMeaningWithoutSpaces: a query in a script that puts no spaces between
// words is compared though it looks like one word.
func TestForgetPreviewsByMeaningWithoutSpaces(t *testing.T) {
	k := comparing(t, "")
	k.adds(facts...)
	ids := k.adds("Has an appointment with a psychiatrist on Thursdays.")
	k.means(text("anything"))
	plan, err := k.PlanForget(ctx, core.ForgetQuery{Texts: []string{"木曜日に精神科医の予約があります"}})
	wantFault(t, err, fault.NotFound, "forget-no-such-target")
	if len(plan.Memories) > 0 || len(plan.Near) != 1 || plan.Near[0].ID != ids[0] {
		t.Errorf("%+v", plan)
	}
}
