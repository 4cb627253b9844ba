package core_test

import (
	"testing"
	"time"

	"keepsake/backend/core"
	"keepsake/backend/core/library"
	"keepsake/backend/memory"
)

// Promise: a report of what is held counts everything by category and says where it
// is from; that it was made stands in the log, also of a frozen vault.
func TestHeld(t *testing.T) {
	k := fresh(t)
	k.imports(k.write("a.zip", talks())) // 30 conversations of two messages, with a memory each
	k.later(time.Hour)
	ok(k.AddMemory(ctx, core.NewMemory{Type: memory.Preference, Content: "Prefers tea"}))
	kind, custom := library.TypeOfCategory("work_pattern")
	ok(k.AddMemory(ctx, core.NewMemory{Type: kind, CustomType: custom, Content: "Reviews on Mondays"}))
	if err := k.FreezeVault(ctx, true); err != nil {
		t.Fatal(err)
	}
	held := ok(k.Held(ctx))
	want := map[core.Category]int{"conversation": 30, "work_pattern": 1, "preference": 1, "learned_context": 30}
	for i, c := range held.Categories {
		if c.Category != core.Categories()[i] || c.Count != want[c.Category] || c.Oldest.IsZero() || c.Newest.IsZero() {
			t.Errorf("%+v", c)
		}
	}
	if n := held.Categories[3].Platforms["parrot"]; n != 30 || held.Categories[0].Platforms["parrot"] != 30 {
		t.Errorf("%d memories are from the parrot", n)
	}
	if held.Messages != 60 || held.Imports != 1 || held.OwnerID == "" {
		t.Errorf("%+v", held)
	}
	log := ok(k.Log(ctx, core.LogQuery{}))
	if log.Entries[0].Action != "report" || log.Total != held.LogEntries {
		t.Errorf("%d entries, reported %d, the last %+v", log.Total, held.LogEntries, log.Entries[0])
	}
}
