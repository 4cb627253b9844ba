package core_test

import (
	"slices"
	"strings"
	"testing"

	"keepsake/backend/core"
	"keepsake/backend/memory"
)

// saying is a vault that compares by meaning, with the proposals of one conversation.
func saying(t *testing.T, text string) *kit {
	t.Helper()
	k := comparing(t, "")
	if err := k.AllowProposing(ctx, true); err != nil {
		t.Fatal(err)
	}
	k.writes("talk", text)
	return k
}

// writes imports a conversation in which the person writes a text.
func (k *kit) writes(conversation, text string) (proposed int) {
	k.t.Helper()
	b := book{Conversations: []talk{{ID: conversation, Title: conversation, At: dayOne, Updated: dayOne, Lines: []line{
		{ID: conversation + "-a", Role: "user", Text: text, At: dayOne},
	}}}}
	return k.imports(k.write(conversation+".json", b)).Proposals.New
}

// TestNearMemoriesByMeaning: a proposal is shown beside the memories that have its words and
// those that say the same in others or in another language, the most similar first, and no
// others; without a model beside those that have its words.
func TestNearMemoriesByMeaning(t *testing.T) {
	const said = "I'm allergic to penicillin."
	k := saying(t, said)
	ids := k.adds(append(facts, "Hat eine Allergie gegen Penicillin.", "Is allergic to penicillin and to cats.", "Tem alergia a penicilina.")...)
	german, words, away := ids[len(facts)], ids[len(facts)+1], ids[len(facts)+2]
	ok(k.SetStatus(ctx, away, memory.Archived, ""))
	k.means(text("anything"))
	near := ok(k.NearMemories(ctx, k.proposal(said).ID))
	var found []string
	for i, m := range near {
		found = append(found, m.ID)
		if i > 0 && max(m.Words, m.Meaning) > max(near[i-1].Words, near[i-1].Meaning) {
			t.Errorf("not the most similar first: %+v", near)
		}
		if wordless := m.ID == german; m.Meaning < 0.8 || (m.Words == 0) != wordless || !wordless && m.Words < 0.5 {
			t.Errorf("%+v", m)
		}
	}
	slices.Sort(found)
	equal(t, slices.Sorted(slices.Values([]string{german, words})), found)

	k.cfg.Meaning.Encoder = nil
	k.again()
	k.unlocks()
	if err := k.WaitForIndex(ctx); err != nil {
		t.Fatal(err)
	}
	near = ok(k.NearMemories(ctx, k.proposal(said).ID))
	if len(near) != 1 || near[0].ID != words || near[0].Words < 0.5 || near[0].Meaning != 0 {
		t.Errorf("without a model: %+v", near)
	}
}

// TestRejectedStayAwayInOtherWords: what says the same as a proposal that was rejected, and no
// more, is not proposed and is counted; what has another number, another word or adds something
// is proposed. All are once the rejection is undone or its conversation forgotten, and where
// there is no model.
func TestRejectedStayAwayInOtherWords(t *testing.T) {
	same := []string{"I have 3 kids.", "I want to lose weight before the summer.", "Trabalho como enfermeira em um hospital."}
	other := []string{"I have two kids.", "I want to gain weight before the summer.", "I work as a doctor in a hospital.", "I prefer spaces over tabs."}
	for name, c := range map[string]struct {
		then     func(k *kit)
		rejected int
	}{
		"rejected":         {func(*kit) {}, len(same)},
		"in a new process": {func(k *kit) { k.again(); k.unlocks() }, len(same)},
		"undone":           {func(k *kit) { ok(k.Undo(ctx)) }, 0},
		"forgotten": {func(k *kit) {
			ok(k.Forget(ctx, nil, []string{ok(k.Conversations(ctx, core.ConversationQuery{})).Items[0].ID}))
		}, 0},
		"no model": {func(k *kit) { k.cfg.Meaning.Encoder = nil; k.again(); k.unlocks() }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			k := saying(t, "I have three children. I'm trying to lose weight before the summer. I work as a nurse in a hospital. I prefer tabs over spaces.")
			before := k.inbox()
			ok(k.RejectProposals(ctx, k.proposalIDs()))
			c.then(k)
			if err := k.AllowProposing(ctx, false); err != nil {
				t.Fatal(err)
			}
			k.writes("again", strings.Join(slices.Concat(same, other), " "))
			if err := k.AllowProposing(ctx, true); err != nil {
				t.Fatal(err)
			}
			looked := ok(k.LookThrough(ctx, nil))
			equal(t, c.rejected, looked.Rejected)
			want := other
			if c.rejected == 0 {
				want = slices.Concat(same, other)
			}
			if name == "undone" {
				want = slices.Concat(want, before)
			}
			equal(t, slices.Sorted(slices.Values(want)), k.inbox())
		})
	}
}

func (k *kit) proposalIDs() (ids []string) {
	k.t.Helper()
	for _, p := range ok(k.Proposals(ctx, core.ProposalQuery{})).Items {
		ids = append(ids, p.ID)
	}
	return ids
}
