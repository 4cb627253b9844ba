package core_test

import (
	"fmt"
	"testing"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

// tagged adds a memory with tags.
func (k *kit) tagged(content string, tags ...string) string {
	k.t.Helper()
	return ok(k.AddMemory(ctx, core.NewMemory{Type: memory.Fact, Content: content, Tags: tags})).ID
}

// TestTagsForAgents: an agent is told the tags by which it finds memories, those of the most of its own
// memories first, and no other, however many others there are.
func TestTagsForAgents(t *testing.T) {
	k := fresh(t)
	ok(k.MakeCircle(ctx, core.Circle{Name: "Work"}))
	ids := []string{
		k.tagged("Knows Go.", "code", "work", "colour"), k.tagged("Knows C.", "code", "work"), k.tagged("Paints.", "colour"), k.tagged("Knits.", "code"),
		k.tagged("Has a card.", "4111111111111111", "bank"), k.tagged("Has a cat.", "cat"),
	}
	ok(k.JoinCircle(ctx, "work", ids, true))
	k.lets("cursor", "work", nil)
	k.lets("narrow", "work", func(g *core.AgentGrant) { g.Scope.Tags = []string{"colour"} })
	k.lets("trusted", "work", func(g *core.AgentGrant) { g.Unredacted = true })
	k.lets("nothing", "", nil)
	told := func(agent, prefix string, want ...string) {
		t.Helper()
		got := ok(k.AgentTags(ctx, agent, prefix))
		equal(t, core.AgentTags{Tags: append([]string{}, want...), Total: len(want)}, got)
		for _, tag := range got.Tags { // a tag is told by which something is found
			if len(ok(k.AgentMemories(ctx, agent, core.AgentListing{Within: core.AgentScope{Tags: []string{tag}}})).Memories) == 0 {
				t.Errorf("%s finds nothing by %s", agent, tag)
			}
		}
	}
	asks := func() {
		t.Helper()
		told("cursor", "", "code", "colour", "work", "cat")
		told("cursor", " CÓ", "code", "colour")
		told("cursor", "ode")
		told("cursor", "bank") // beside a tag that is hidden
		told("cursor", "4111")
		told("narrow", "", "colour", "code", "work")
		told("trusted", "4111", "4111111111111111")
		told("nothing", "")
	}
	asks()
	for i := range 20 {
		k.tagged(fmt.Sprint("memory number ", i), "work", "canary", fmt.Sprint("code-canary-", i))
	}
	asks()
	ok(k.SetStatus(ctx, ids[5], memory.Retracted, ""))
	told("cursor", "", "code", "colour", "work")
	for i := range 110 {
		ids = append(ids, k.tagged(fmt.Sprint("number ", i), fmt.Sprintf("n-%03d", i)))
	}
	ok(k.JoinCircle(ctx, "work", ids[6:], true))
	ok(k.EditMemory(ctx, ids[0], core.MemoryEdit{Tags: &[]string{"n-109"}}))
	many := ok(k.AgentTags(ctx, "cursor", "n-"))
	equal(t, 110, many.Total)
	equal(t, 100, len(many.Tags))
	equal(t, []string{"n-109", "n-000", "n-001"}, many.Tags[:3])
}

// TestTagsGiveNoMemory: a completion is a call in the log, whose bytes count in the budget; no memory was
// given or used by it.
func TestTagsGiveNoMemory(t *testing.T) {
	k := fresh(t)
	ok(k.MakeCircle(ctx, core.Circle{Name: "Work"}))
	id := k.tagged("Knows Go.", "code")
	ok(k.JoinCircle(ctx, "work", []string{id}, true))
	k.lets("cursor", "work", func(g *core.AgentGrant) { g.Memories = 1 })
	tags := func() error { return second(k.AgentTags(ctx, "cursor", "c")) }
	before := k.byID(id)
	succeeds(t, tags())
	call := ok(k.AgentCalls(ctx, core.AgentCallQuery{})).Items[0]
	call.Number, call.At = 0, memory.Time{}
	equal(t, core.AgentCall{Agent: "cursor", Tool: "complete", Bytes: len(`{"tags":["code"],"total":1}`)}, call)
	equal(t, 0, ok(k.AgentCalls(ctx, core.AgentCallQuery{Memory: id})).Total)
	equal(t, before, k.byID(id))
	last := ok(k.Log(ctx, core.LogQuery{})).Entries[0]
	equal(t, "cursor agent-call 0", fmt.Sprint(last.Actor, " ", last.Action, " ", last.Count))
	succeeds(t, second(k.AgentMemory(ctx, "cursor", id)))
	succeeds(t, tags()) // all memories of the hour were given
	g := core.DefaultAgentGrant("work")
	g.Bytes = call.Bytes * 2
	ok(k.AllowAgent(ctx, "cursor", g))
	wantFault(t, tags(), fault.Refused, "agent-budget-spent")
	succeeds(t, k.PauseAgents(ctx, "cursor", true))
	wantFault(t, tags(), fault.Refused, "agent-paused")
}
