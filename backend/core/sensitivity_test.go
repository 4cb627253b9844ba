package core_test

import (
	"testing"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/sensitive"
)

func (k *kit) topics(id string) (all []sensitive.Topic) {
	k.t.Helper()
	for _, m := range ok(k.Sensitive(ctx, id)) {
		if m.Is {
			all = append(all, m.Topic)
		}
	}
	return all
}

// TestSensitiveTopics: what memories are about is told with and without vectors, in the language
// they are in, and counted; the summary says of how many only the words were looked at.
func TestSensitiveTopics(t *testing.T) {
	k := comparing(t, "")
	ids := k.adds("Takes sertraline for depression.", "Mora na Rua das Flores, 12, em Lisboa.", "Prefers tabs to spaces.", "Su número de pasaporte es XDA482917.")
	want := [][]sensitive.Topic{{sensitive.Health}, {sensitive.Address}, nil, {sensitive.Numbers}}
	for i, id := range ids {
		equal(t, want[i], k.topics(id))
	}
	page := ok(k.SensitiveMemories(ctx, core.SensitiveQuery{}))
	equal(t, 4, page.ByWords)
	succeeds(t, k.MakeVectors(ctx, 0))
	page = ok(k.SensitiveMemories(ctx, core.SensitiveQuery{}))
	equal(t, 0, page.ByWords)
	equal(t, 3, page.Sensitive)
	equal(t, 3, page.Total)
	equal(t, map[sensitive.Topic]int{sensitive.Health: 1, sensitive.Address: 1, sensitive.Numbers: 1}, page.ByTopic)
	page = ok(k.SensitiveMemories(ctx, core.SensitiveQuery{Topic: sensitive.Address, Limit: 1}))
	equal(t, 1, page.Total)
	equal(t, ids[1], page.Items[0].ID)
	_, err := k.SensitiveMemories(ctx, core.SensitiveQuery{Topic: "secrets"})
	wantFault(t, err, fault.Invalid, "unknown-sensitive-topic")
	wantFault(t, k.MarkSensitive(ctx, ids[0], "secrets", nil), fault.Invalid, "unknown-sensitive-topic")
}

// TestThePersonDecidesWhatIsSensitive: what the person says wins over what is found, after an
// edit, a lock and an undo of something else; it is undone by one undo, and taken back.
func TestThePersonDecidesWhatIsSensitive(t *testing.T) {
	k := comparing(t, "")
	ids := k.adds("Takes sertraline for depression.", "Prefers tabs to spaces.")
	succeeds(t, k.MarkSensitive(ctx, ids[0], sensitive.Health, new(false)))
	succeeds(t, k.MarkSensitive(ctx, ids[1], sensitive.Beliefs, new(true)))
	for range 2 {
		equal(t, []sensitive.Topic(nil), k.topics(ids[0]))
		equal(t, []sensitive.Topic{sensitive.Beliefs}, k.topics(ids[1]))
		equal(t, []core.SensitiveMark{{Topic: sensitive.Health, ByPerson: true}}, ok(k.Sensitive(ctx, ids[0])))
		ok(k.EditMemory(ctx, ids[0], core.MemoryEdit{Content: to("Takes sertraline for depression every morning.")}))
		k.reopen()
	}
	ok(k.Undo(ctx)) // of the edit
	equal(t, []sensitive.Topic(nil), k.topics(ids[0]))
	succeeds(t, k.MarkSensitive(ctx, ids[0], sensitive.Health, nil))
	equal(t, []sensitive.Topic{sensitive.Health}, k.topics(ids[0]))
	ok(k.Undo(ctx))
	equal(t, []sensitive.Topic(nil), k.topics(ids[0]))
	wantFault(t, k.MarkSensitive(ctx, "nobody", sensitive.Health, nil), fault.NotFound, "no-memory")
}

// TestHostileSensitiveTexts: whatever a text is, its topics are told, and the same twice.
func TestHostileSensitiveTexts(t *testing.T) {
	k := comparing(t, "")
	for _, text := range hostileTexts() {
		r, err := k.AddMemory(ctx, core.NewMemory{Type: "fact", Content: text})
		if err != nil {
			continue
		}
		equal(t, k.topics(r.ID), k.topics(r.ID))
	}
	ok(k.SensitiveMemories(ctx, core.SensitiveQuery{}))
}

func succeeds(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
