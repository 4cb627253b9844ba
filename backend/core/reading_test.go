package core_test

import (
	"slices"
	"testing"

	"keepsake/backend/core"
)

// logged are the actions of the log, oldest first.
func (k *kit) logged() (actions []string) {
	k.t.Helper()
	for _, e := range ok(k.Log(ctx, core.LogQuery{})).Entries {
		actions = append(actions, e.Action)
	}
	slices.Reverse(actions)
	return actions
}

// Promise: own reading is logged while the person wants it, and only then; once
// for what is looked at twice in a row, also across a lock, and without a word of
// it. Reading waits for no disk, and a lock loses none of it.
func TestOwnReadingIsLoggedWhenAskedFor(t *testing.T) {
	k := full(t)
	about, talk := k.saying("User lives in Lisbon").ID, ok(k.Conversations(ctx, core.ConversationQuery{})).Items[0].ID
	reads := func() {
		for range 2 {
			ok(k.Memory(ctx, about))
		}
		ok(k.Thread(ctx, talk, "", 0, 10))
		ok(k.Thread(ctx, talk, "", 10, 10))
		k.conversation(talk)
		for _, words := range []string{"te", "tea"} {
			ok(k.Search(ctx, core.SearchQuery{Text: words}))
		}
		ok(k.Memories(ctx, core.MemoryQuery{})) // a list is no reading
	}
	if err := k.WaitForIndex(ctx); err != nil {
		t.Fatal(err)
	}
	reads()
	before := k.logged()
	if slices.Contains(before, "read") || slices.Contains(before, "search") {
		t.Fatalf("reading was logged unasked: %v", before)
	}
	if err := k.LogReading(ctx, true); err != nil {
		t.Fatal(err)
	}
	commits := k.state().Generation
	reads()
	if n := k.state().Generation; n != commits {
		t.Errorf("reading made %d commits", n-commits)
	}
	want := []string{"reading-logged", "read", "read", "search"}
	k.reopen()
	got := k.logged()[len(before):]
	if !slices.Equal(got, append(want, "unlock")) {
		t.Errorf("the log goes on with %v, want %v", got, want)
	}
	if !k.state().LogsReading {
		t.Error("the wish did not outlive a lock")
	}
	entries := ok(k.Log(ctx, core.LogQuery{Target: about})).Entries
	if !slices.ContainsFunc(entries, func(e core.LogEntry) bool { return e.Action == "read" }) {
		t.Errorf("of the memory it says %+v", entries)
	}
	if err := k.LogReading(ctx, false); err != nil {
		t.Fatal(err)
	}
	before = k.logged()
	reads()
	if after := k.logged(); !slices.Equal(before, after) || before[len(before)-1] != "reading-unlogged" {
		t.Errorf("after the end of it the log goes on: %v", after[len(before):])
	}
}
