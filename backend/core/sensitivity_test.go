package core_test

import (
	"slices"
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

// TestEverySensitiveTopicIsFound: each of the eight topics is looked for, with and without
// vectors.
func TestEverySensitiveTopicIsFound(t *testing.T) {
	k := comparing(t, "")
	lines := map[sensitive.Topic]string{
		sensitive.Health: "Takes sertraline for depression.", sensitive.Family: "Is married and has two daughters.",
		sensitive.Address: "Lives at 14 Linden Street, Oldenburg.", sensitive.Money: "Earns 3,480 euros a month after tax.",
		sensitive.Beliefs: "Is Catholic and goes to mass on Sundays.", sensitive.Sexuality: "Is gay and came out at university.",
		sensitive.Names: "His best friend is called Emre.", sensitive.Numbers: "Passport number XDA482917.",
	}
	ids := map[sensitive.Topic]string{}
	for _, topic := range sensitive.Topics() {
		ids[topic] = k.add(lines[topic]).ID
	}
	for range 2 {
		for topic, id := range ids {
			if found := k.topics(id); !slices.Contains(found, topic) {
				t.Errorf("%q: found %v", lines[topic], found)
			}
		}
		succeeds(t, k.MakeVectors(ctx, 0))
	}
}

// TestPreviewCountsSensitiveMemories: a preview counts the topics of the memories that leave, which
// leave; not of those that stay, nor of conversations.
func TestPreviewCountsSensitiveMemories(t *testing.T) {
	k := comparing(t, "")
	stays := k.adds("Prefers tabs to spaces.", "Takes sertraline for depression.")[1]
	ok(k.EditMemory(ctx, stays, core.MemoryEdit{Exportable: to(false)}))
	k.writes("talk", "I take sertraline for depression.")
	o := core.ExportOptions{IncludeConversations: true}
	p := ok(k.PreviewExport(ctx, o))
	equal(t, 1, p.Conversations)
	equal(t, core.SensitiveSummary{ByTopic: map[sensitive.Topic]int{}, ByWords: 1}, p.Sensitive.Summary)
	succeeds(t, k.MakeVectors(ctx, 0))
	ok(k.EditMemory(ctx, stays, core.MemoryEdit{Exportable: to(true)}))
	succeeds(t, k.MakeVectors(ctx, 0))
	p = ok(k.PreviewExport(ctx, o))
	equal(t, core.SensitiveSummary{Sensitive: 1, ByTopic: map[sensitive.Topic]int{sensitive.Health: 1}}, p.Sensitive.Summary)
	if r, text := k.export("all.pam.zip", o); r.Memories != 2 || p.Memories != 2 || len(text) == 0 {
		t.Errorf("%d memories left, the preview says %d", r.Memories, p.Memories)
	}
}

// TestHandoffCountsSensitiveMemories: a hand-off counts and lists those of the memories that are
// told, and none that is left out.
func TestHandoffCountsSensitiveMemories(t *testing.T) {
	k := comparing(t, "")
	ids := k.adds("Takes sertraline for depression.", "Prefers trains to planes.", "Is married and has two daughters.")
	succeeds(t, k.MakeVectors(ctx, 0))
	h := ok(k.PreviewHandoff(ctx, "claude", core.HandoffOptions{Part: "project-instructions", Without: ids[2:]}))
	equal(t, core.SensitiveSummary{Sensitive: 1, ByTopic: map[sensitive.Topic]int{sensitive.Health: 1}}, h.Sensitive.Summary)
	equal(t, []core.SensitiveItem{{ID: ids[0], Content: "Takes sertraline for depression.", Topics: []sensitive.Topic{sensitive.Health}}}, h.Sensitive.Items)
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
