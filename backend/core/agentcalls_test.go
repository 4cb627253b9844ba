package core_test

import (
	"strings"
	"testing"
	"time"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

// TestAgentCallsAreFiltered: the calls of each agent, tool, outcome and time are listed, and no others.
func TestAgentCallsAreFiltered(t *testing.T) {
	k := full(t)
	ok(k.MakeCircle(ctx, core.Circle{Name: "Work"}))
	id := k.saying("User is called Ana").ID
	ok(k.JoinCircle(ctx, "work", []string{id}, true))
	for _, name := range []string{"one", "two"} {
		k.meets(name)
		ok(k.AllowAgent(ctx, name, core.DefaultAgentGrant("work")))
	}
	began := k.clock
	succeeds(t, second(k.AgentMemory(ctx, "one", id))) // 1
	k.later(time.Hour)
	succeeds(t, second(k.AgentMemories(ctx, "two", core.AgentListing{})))                 // 2
	wantFault(t, second(k.AgentMemory(ctx, "one", "never")), fault.NotFound, "no-memory") // 3
	wantFault(t, second(k.AgentMemory(ctx, "two", "never")), fault.NotFound, "no-memory") // 4
	succeeds(t, second(k.AgentMemories(ctx, "one", core.AgentListing{})))                 // 5
	at := func(d time.Duration) memory.Time { return memory.At(began.Add(d)) }
	for want, q := range map[string]core.AgentCallQuery{
		"5 4 3 2 1": {},
		"5 3 1":     {Agent: "one"},
		"4 3 1":     {Tool: "get_memory"},
		"4 3":       {Outcome: "refused"},
		"5 2 1":     {Outcome: "answered"},
		"5 2":       {Outcome: "answered", Tool: "list_memories"},
		"1":         {Until: at(time.Hour)},
		"":          {Tool: "search"},
		"3":         {Agent: "one", Outcome: "refused", Since: at(time.Minute)},
		"4":         {Offset: 1, Limit: 1},
	} {
		var got []string
		for _, c := range ok(k.AgentCalls(ctx, q)).Items {
			got = append(got, string(rune('0'+c.Number)))
		}
		equal(t, want, strings.Join(got, " "))
	}
	equal(t, 4, ok(k.AgentCalls(ctx, core.AgentCallQuery{Since: at(time.Hour)})).Total)
	wantFault(t, second(k.AgentCalls(ctx, core.AgentCallQuery{Outcome: "lost"})), fault.Invalid, "agent-call-outcome")
}

// TestAgentCallGave: a call tells the memories that were in its answer as they are now, counts those
// that left the vault, and says nothing of these.
func TestAgentCallGave(t *testing.T) {
	k := full(t)
	ok(k.MakeCircle(ctx, core.Circle{Name: "Work"}))
	stays, goes := k.saying("User is called Ana").ID, ok(k.AddMemory(ctx, core.NewMemory{Content: "User keeps bees", Type: memory.Fact})).ID
	ok(k.JoinCircle(ctx, "work", []string{stays, goes}, true))
	k.meets("one")
	ok(k.AllowAgent(ctx, "one", core.DefaultAgentGrant("work")))
	succeeds(t, second(k.AgentMemories(ctx, "one", core.AgentListing{})))
	wantFault(t, second(k.AgentMemory(ctx, "one", "never")), fault.NotFound, "no-memory")
	gave := ok(k.AgentCallGave(ctx, 1))
	equal(t, []core.AgentGivenMemory{{ID: stays, Content: "User is called Ana"}, {ID: goes, Content: "User keeps bees"}}, gave.Memories)
	equal(t, 0, gave.Gone)
	equal(t, 0, ok(k.AgentCallGave(ctx, 2)).Total)
	ok(k.Forget(ctx, []string{goes}, nil))
	gave = ok(k.AgentCallGave(ctx, 1))
	equal(t, []core.AgentGivenMemory{{ID: stays, Content: "User is called Ana"}}, gave.Memories)
	equal(t, 1, gave.Gone)
	wantFault(t, second(k.AgentCallGave(ctx, 9)), fault.NotFound, "no-agent-call")
}
