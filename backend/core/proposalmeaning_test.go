package core_test

import (
	"slices"
	"testing"

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
