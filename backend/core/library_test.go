package core_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

func contents(items []memory.Record) (out []string) {
	for _, r := range items {
		out = append(out, r.Content)
	}
	return out
}

func TestQueries(t *testing.T) {
	k := fresh(t)
	k.imports(k.write("a.zip", sampleBook()))
	k.later(time.Hour)
	ok(k.AddMemory(ctx, core.NewMemory{Type: memory.Preference, Content: "Café com açúcar", Tags: []string{"coffee"}}))
	lisbon := k.saying("User lives in Lisbon")
	ok(k.SetStatus(ctx, lisbon.ID, memory.Archived, ""))
	conversation := lisbon.Provenance.ConversationRef
	for name, c := range map[string]struct {
		q    core.MemoryQuery
		want []string
	}{
		"newest first":     {core.MemoryQuery{}, []string{"Café com açúcar", "User is called Ana", "User drinks green tea", "User lives in Lisbon"}},
		"oldest first":     {core.MemoryQuery{Sort: "created", Limit: 2}, []string{"User lives in Lisbon", "User drinks green tea"}},
		"window":           {core.MemoryQuery{Offset: 1, Limit: 1}, []string{"User is called Ana"}},
		"beyond the end":   {core.MemoryQuery{Offset: 9}, nil},
		"accents folded":   {core.MemoryQuery{Text: "cafe ACUCAR"}, []string{"Café com açúcar"}},
		"in tags":          {core.MemoryQuery{Text: "coffee"}, []string{"Café com açúcar"}},
		"every word":       {core.MemoryQuery{Text: "user lisbon"}, []string{"User lives in Lisbon"}},
		"none":             {core.MemoryQuery{Text: "user madrid"}, nil},
		"type":             {core.MemoryQuery{Types: []memory.Type{memory.Preference}}, []string{"Café com açúcar"}},
		"status":           {core.MemoryQuery{Statuses: []memory.Status{memory.Archived}}, []string{"User lives in Lisbon"}},
		"platform":         {core.MemoryQuery{Platforms: []string{"manual"}}, []string{"Café com açúcar"}},
		"tag":              {core.MemoryQuery{Tags: []string{"drinks-food", "nothing"}}, []string{"User drinks green tea"}},
		"conversation":     {core.MemoryQuery{Conversation: conversation}, []string{"User lives in Lisbon"}},
		"since":            {core.MemoryQuery{Since: dayOne}, []string{"Café com açúcar"}},
		"until":            {core.MemoryQuery{Until: dayOne, Limit: 1}, []string{"User is called Ana"}},
		"most certain":     {core.MemoryQuery{Sort: "-confidence", Limit: 1}, []string{"Café com açúcar"}},
		"by type":          {core.MemoryQuery{Sort: "-type", Limit: 1}, []string{"Café com açúcar"}},
		"latest changed":   {core.MemoryQuery{Sort: "-updated", Limit: 1, Statuses: []memory.Status{memory.Archived}}, []string{"User lives in Lisbon"}},
		"second statement": {core.MemoryQuery{Conversation: idOf(t, k, "Tea")}, []string{"User drinks green tea", "User lives in Lisbon"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := contents(k.memories(c.q)); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	_, err := k.Memories(ctx, core.MemoryQuery{Sort: "colour"})
	wantFault(t, err, fault.Invalid, "unknown-order")
}

func idOf(t *testing.T, k *kit, title string) string {
	t.Helper()
	page, err := k.Conversations(ctx, core.ConversationQuery{Text: title})
	if err != nil || len(page.Items) != 1 {
		t.Fatalf("conversations called %q: %+v, %v", title, page, err)
	}
	return page.Items[0].ID
}

// TestFacetsLeaveTheirOwnOut holds that a facet still shows its other values
// after one of them was chosen.
func TestFacetsLeaveTheirOwnOut(t *testing.T) {
	k := fresh(t)
	k.imports(k.write("a.zip", sampleBook()))
	ok(k.AddMemory(ctx, core.NewMemory{Type: memory.Preference, Content: "Coffee"}))
	f := ok(k.Facets(ctx, core.MemoryQuery{Platforms: []string{"manual"}}))
	equal(t, map[string]int{"parrot": 3, "manual": 1}, f.Platforms)
	equal(t, map[memory.Type]int{memory.Preference: 1}, f.Types)
	f = ok(k.Facets(ctx, core.MemoryQuery{Text: "user"}))
	equal(t, map[memory.Type]int{memory.Fact: 3}, f.Types)
	equal(t, map[string]int{"drinks-food": 1}, f.Tags)
}

// TestProjectsYearsAndConfidenceNarrow holds that a memory is of the projects of
// all conversations that stated it, of the year in UTC, and as sure as it is now.
func TestProjectsYearsAndConfidenceNarrow(t *testing.T) {
	k := fresh(t)
	b := sampleBook()
	b.Conversations[0].Project, b.Conversations[1].Project = "Travel", "Kitchen"
	b.Memories[0].At, b.Memories[0].Confidence = time.Date(2024, 12, 31, 23, 30, 0, 0, time.FixedZone("", -3600)), 0.6
	k.imports(k.write("a.zip", b))
	f := ok(k.Facets(ctx, core.MemoryQuery{}))
	equal(t, map[string]int{"Travel": 1, "Kitchen": 2}, f.Projects)
	equal(t, map[int]int{2025: 3}, f.Years)
	for _, q := range []core.MemoryQuery{{Projects: []string{"Travel"}}, {Years: []int{2025}, Text: "Lisbon"}} {
		if got := k.memories(q); len(got) != 1 || got[0].Content != "User lives in Lisbon" {
			t.Errorf("%+v: %+v", q, got)
		}
	}
	equal(t, 0, len(k.memories(core.MemoryQuery{Years: []int{2024}})))
	// What was said once without a decay stays as sure; a trip fades.
	f = ok(k.Facets(ctx, core.MemoryQuery{Confidence: []core.Certainty{core.HighConfidence}}))
	equal(t, map[core.Certainty]int{core.HighConfidence: 1, core.MediumConfidence: 2}, f.Certainty)
	if high := k.memories(core.MemoryQuery{Confidence: []core.Certainty{core.HighConfidence}}); len(high) != 1 || high[0].Content != "User drinks green tea" {
		t.Errorf("of high confidence: %+v", high)
	}
	k.later(3 * 365 * 24 * time.Hour)
	if low := k.memories(core.MemoryQuery{Confidence: []core.Certainty{core.LowConfidence}}); len(low) != 1 || low[0].Content != "User lives in Lisbon" {
		t.Errorf("of low confidence after three years: %+v", low)
	}
}

func TestConversationsList(t *testing.T) {
	k := fresh(t)
	k.imports(k.write("a.zip", sampleBook()))
	page := ok(k.Conversations(ctx, core.ConversationQuery{}))
	if page.Total != 2 || page.Items[0].Title != "Tea" || page.Items[0].DerivedCount != 2 || page.Items[1].BranchCount != 1 {
		t.Errorf("page: %+v", page)
	}
	for sort, first := range map[string]string{"title": "Lisbon trip", "-messages": "Lisbon trip", "created": "Lisbon trip", "-created": "Tea"} {
		if got := ok(k.Conversations(ctx, core.ConversationQuery{Sort: sort, Limit: 1})); got.Items[0].Title != first || got.Total != 2 {
			t.Errorf("%s: %+v", sort, got)
		}
	}
}

// conversation is a whole one.
func (k *kit) conversation(id string) (c *memory.Conversation) {
	k.t.Helper()
	err := k.ShowConversation(ctx, id, false, func(talk core.Talk) error {
		c = talk.Conversation
		for m, err := range talk.Long {
			if err != nil {
				return err
			}
			c.Messages = append(c.Messages, m)
		}
		return nil
	})
	if err != nil {
		k.t.Fatal(err)
	}
	return c
}

// TestThread walks the active path, another leaf, and a message inside.
func TestThread(t *testing.T) {
	k := fresh(t)
	k.imports(k.write("a.zip", sampleBook()))
	id := idOf(t, k, "Lisbon")
	for leaf, want := range map[string][]string{"": {"m1", "m3"}, "m2": {"m1", "m2"}, "m1": {"m1", "m3"}} {
		th := ok(k.Thread(ctx, id, leaf, 0, 0))
		var got []string
		for _, m := range th.Messages {
			got = append(got, m.ID)
		}
		if !slices.Equal(got, want) || th.Total != 2 || th.Leaf != want[1] {
			t.Errorf("leaf %q: %v, leaf %s", leaf, got, th.Leaf)
		}
	}
	th := ok(k.Thread(ctx, id, "", 0, 0))
	if !slices.Equal(th.Messages[1].Siblings, []string{"m2", "m3"}) || len(th.Messages[0].Siblings) != 0 {
		t.Errorf("siblings: %+v", th.Messages)
	}
	if from := th.Messages[0].Memories; len(from) != 1 || from[0] != k.saying("User lives in Lisbon").ID {
		t.Errorf("memories of the message: %v", from)
	}
	if window := ok(k.Thread(ctx, id, "", 1, 5)); window.Total != 2 || len(window.Messages) != 1 || window.Messages[0].ID != "m3" {
		t.Errorf("window: %+v", window)
	}
	for leaf, want := range map[string]core.ThreadMatches{"": {At: []int{0, 1}, Times: []int{2, 2}}, "m2": {At: []int{0}, Times: []int{2}}} {
		equal(t, want, ok(k.FindInThread(ctx, id, leaf, "L")))
	}
	for part, want := range map[int]string{0: th.Messages[1].Content.PlainText(), 1: "", -1: ""} {
		if got := ok(k.MessagePart(ctx, id, "m3", part)); got != want {
			t.Errorf("part %d: %q", part, got)
		}
	}
	var shown []string
	err := k.ShowConversation(ctx, id, true, func(talk core.Talk) error {
		for m, err := range talk.Long {
			shown = append(shown, fmt.Sprint(m.ID, m.ParentID, m.ChildrenIDs, err))
		}
		return nil
	})
	if !slices.Equal(shown, []string{"m1[m3] <nil>", "m3m1[] <nil>"}) || err != nil {
		t.Errorf("the active path: %v, %v", shown, err)
	}
	err = k.ShowConversation(ctx, "nobody", false, nil)
	wantFault(t, err, fault.NotFound, "no-conversation")
	_, err = k.MessagePart(ctx, id, "nobody", 0)
	wantFault(t, err, fault.NotFound, "no-message")
	_, err = k.Thread(ctx, id, "nobody", 0, 0)
	wantFault(t, err, fault.NotFound, "no-message")
	_, err = k.FindInThread(ctx, id, "nobody", "tea")
	wantFault(t, err, fault.NotFound, "no-message")
	stopped, stop := context.WithCancel(ctx)
	stop()
	_, err = k.FindInThread(stopped, id, "", "tea")
	if !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	_, err = k.Thread(ctx, "nobody", "", 0, 0)
	wantFault(t, err, fault.NotFound, "no-conversation")
}

// Promise: pages of a thread are the messages of its path, wherever they stand among
// those of other branches, and follow the conversation when an import replaces it.
func TestPagesOfAThread(t *testing.T) {
	k := fresh(t)
	at, long := dayOne, talk{ID: "long", Title: "long", At: dayOne, Updated: dayOne}
	for i := range 600 {
		l := line{ID: fmt.Sprintf("m%d", i), Role: "user", Text: fmt.Sprintf("number %d ", i) + strings.Repeat("word ", 40), At: at.Add(time.Duration(i) * time.Second)}
		if i > 0 {
			l.Parent = fmt.Sprintf("m%d", max(0, i-1-i%3)) // two of three go on from before
		}
		long.Lines = append(long.Lines, l)
	}
	long.Updated = at.Add(time.Hour)
	k.imports(k.write("a.zip", book{Conversations: []talk{long}}))
	id := idOf(t, k, "long")
	for _, leaf := range []string{"", "m100", "m599", "m300"} {
		whole := ok(k.Thread(ctx, id, leaf, 0, 0))
		all := whole.Messages
		if leaf == "" {
			equal(t, k.conversation(id).ActivePath(), messagesOf(all))
		}
		if (leaf == "") != (whole.At < 0) || leaf != "" && all[whole.At].ID != leaf {
			t.Errorf("%q stands at %d", leaf, whole.At)
		}
		for offset := 0; offset < len(all)+10; offset += 7 {
			page := ok(k.Thread(ctx, id, leaf, offset, 10))
			equal(t, all[min(offset, len(all)):min(offset+10, len(all))], page.Messages)
		}
	}
	long.Updated = long.Updated.Add(time.Hour)
	long.Lines = append(long.Lines, line{ID: "more", Parent: "m599", Role: "user", Text: "More", At: long.Updated})
	r := k.imports(k.write("b.zip", book{Conversations: []talk{long}}))
	if th := ok(k.Thread(ctx, id, "more", 0, 0)); th.Messages[len(th.Messages)-1].ID != "more" {
		t.Error("the thread is that of before")
	}
	ok(k.UndoImport(ctx, r.ImportID))
	_, err := k.Thread(ctx, id, "more", 0, 0)
	wantFault(t, err, fault.NotFound, "no-message")
}

func messagesOf(all []core.ThreadMessage) (messages []memory.Message) {
	for _, m := range all {
		messages = append(messages, m.Message)
	}
	return messages
}

// TestThreadSurvivesOddGraphs reads cycles, orphans, and messages that are
// their own parent.
func TestThreadSurvivesOddGraphs(t *testing.T) {
	k := fresh(t)
	at := dayOne
	k.imports(k.write("a.zip", book{Conversations: []talk{
		{ID: "loop", Title: "loop", At: at, Lines: []line{{ID: "a", Parent: "c", Role: "user", Text: "a"}, {ID: "b", Parent: "a", Role: "user", Text: "b"}, {ID: "c", Parent: "b", Role: "user", Text: "c"}}},
		{ID: "self", Title: "self", At: at, Lines: []line{{ID: "a", Parent: "a", Role: "user", Text: "a"}}},
		{ID: "orphan", Title: "orphan", At: at, Lines: []line{{ID: "a", Parent: "gone", Role: "user", Text: "a"}, {ID: "b", Parent: "a", Role: "user", Text: "b"}}},
		{ID: "none", Title: "none", At: at},
	}}))
	for title, want := range map[string]int{"loop": 3, "self": 1, "orphan": 2, "none": 0} {
		th := ok(k.Thread(ctx, idOf(t, k, title), "", 0, 0))
		if len(th.Messages) != want {
			t.Errorf("%s: %d messages, want %d", title, len(th.Messages), want)
		}
		for _, m := range th.Messages {
			ok(k.Thread(ctx, idOf(t, k, title), m.ID, 0, 0))
		}
	}
}

// TestMessagesThatAPersonSees: the root of a conversation of ChatGPT holds nothing and
// counts nowhere, in no file that goes out, and comes back from there.
func TestMessagesThatAPersonSees(t *testing.T) {
	k := provider(t)
	const talk = `[{"id":"c-1","conversation_id":"c-1","title":"Tea","create_time":1750000000,"update_time":1750000100,"current_node":"b","mapping":{
		"root":{"id":"root","message":null,"parent":null,"children":["blank"]},
		"blank":{"id":"blank","parent":"root","children":["a"],"message":{"id":"blank","author":{"role":"system"},"content":{"content_type":"text","parts":[""]},"weight":0}},
		"a":{"id":"a","parent":"blank","children":["b"],"message":{"id":"a","author":{"role":"user"},"create_time":1750000000,"content":{"content_type":"text","parts":["Which tea?"]}}},
		"b":{"id":"b","parent":"a","children":[],"message":{"id":"b","author":{"role":"assistant"},"create_time":1750000100,"content":{"content_type":"text","parts":["Green."]}}}}}]`
	path := k.file("conversations.json", []byte(talk))
	report := k.imports(path)
	row := ok(k.Conversations(ctx, core.ConversationQuery{})).Items[0]
	thread := ok(k.Thread(ctx, row.ID, "", 0, 0))
	held := ok(k.Held(ctx))
	for where, n := range map[string]int{
		"report": report.Messages.New, "list": row.MessageCount, "reader": thread.Said, "vault": k.state().Messages, "holdings": held.Messages,
	} {
		if n != 2 {
			t.Errorf("%s: %d messages, a person sees 2", where, n)
		}
	}
	if thread.Total != 4 {
		t.Errorf("the thread has %d nodes of 4", thread.Total)
	}
	if again := k.imports(path); again.Messages.New != 0 || again.Messages.Total != 2 {
		t.Errorf("again: %+v", again.Messages)
	}
	if plan := ok(k.PlanForget(ctx, core.ForgetQuery{IDs: []string{row.ID}})); plan.Messages != 2 {
		t.Errorf("to be forgotten: %d messages", plan.Messages)
	}
	k.export("out/", core.ExportOptions{IncludeConversations: true})
	for name, text := range k.companions("out") {
		var c struct{ Messages []any }
		if err := json.Unmarshal(text, &c); err != nil || len(c.Messages) != 2 {
			t.Errorf("%s lists %d messages: %v", name, len(c.Messages), err)
		}
	}
	var store struct {
		Index []struct {
			Count int `json:"message_count"`
		} `json:"conversations_index"`
	}
	if err := json.Unmarshal(k.storeOf(filepath.Join(k.root, "out")), &store); err != nil || len(store.Index) != 1 || store.Index[0].Count != 2 {
		t.Errorf("the index says %+v: %v", store, err)
	}
	if made := ok(k.BackupVault(ctx, filepath.Join(k.root, "backup.zip"))); made.Messages != 2 {
		t.Errorf("the backup has %d messages", made.Messages)
	}
	if got := ok(k.RecoverVault(ctx, core.Secret{Passphrase: passphrase}, true)); got.Messages != 2 {
		t.Errorf("what can be recovered has %d messages", got.Messages)
	}
	again := fresh(t)
	again.imports(filepath.Join(k.root, "out"))
	if back := ok(again.Thread(ctx, row.ID, "", 0, 0)); back.Total != 4 || back.Said != 2 || back.Leaf != thread.Leaf {
		t.Errorf("it came back with %d nodes, of which %d say something", back.Total, back.Said)
	}
}
