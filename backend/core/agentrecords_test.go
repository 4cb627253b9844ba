package core_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

// TestAgentsStoreRecords: what an agent says of a record of the Personal Memory Specification is there once
// the person has accepted it, and leaves with it; a session that is a conversation of the vault does not
// become its source.
func TestAgentsStoreRecords(t *testing.T) {
	k := full(t)
	ok(k.MakeCircle(ctx, core.Circle{Name: "Work"}))
	k.lets("cursor", "work", nil)
	talk := ok(k.Conversations(ctx, core.ConversationQuery{Limit: 1})).Items[0].ID
	for _, c := range []struct {
		session, kept string
		as            core.AgentStoredAs
		kind          memory.Type
	}{
		{"ses_1", "ses_1", core.AgentStoredAs{Category: "conversation", ContentType: "summary", Channel: "slack", Importance: to(0.9)}, memory.Context},
		{"ses_2", "ses_2", core.AgentStoredAs{Category: "work_pattern", ContentType: "pattern"}, memory.Custom},
		{talk, "", core.AgentStoredAs{Category: "learned_context", ContentType: "fact"}, memory.Fact},
	} {
		c.as.Session, c.as.Message = c.session, "msg_1"
		text := "Was told by " + c.session
		stored := ok(k.AgentStore(ctx, "cursor", core.AgentStore{Content: text, Tags: []string{"Q3"}, As: c.as}))
		equal(t, memory.ContentHash(text), stored.Hash)
		equal(t, stored.ID, ok(k.AgentStore(ctx, "cursor", core.AgentStore{Content: text, As: c.as})).ID)
		r := ok(k.AcceptProposal(ctx, stored.ID, core.ProposalEdit{}))
		equal(t, c.kind, r.Type)
		equal(t, c.as.Category, core.CategoryOf(r))
		equal(t, c.kept, r.Provenance.ConversationRef)
		equal(t, c.kept != "", r.Provenance.MessageRef == "msg_1")
		if c.as.Channel != "" {
			equal(t, c.as.Channel, r.Provenance.Platform)
			importance, _ := r.Importance()
			equal(t, 0.9, importance)
		}
	}
	text, err := os.ReadFile(k.personalExport(core.FormOptions{}))
	if err != nil {
		t.Fatal(err)
	}
	left := strings.ReplaceAll(string(text), `": `, `":`)
	for _, member := range []string{`"channel":"slack"`, `"content_type":"summary"`, `"content_type":"pattern"`} {
		if !strings.Contains(left, member) {
			t.Errorf("no %s leaves", member)
		}
	}
}

// TestAgentsStoreWhatTheSpecificationHas: other names, and references that are none, are refused.
func TestAgentsStoreWhatTheSpecificationHas(t *testing.T) {
	k := fresh(t)
	ok(k.MakeCircle(ctx, core.Circle{Name: "Work"}))
	k.lets("cursor", "work", nil)
	as := core.AgentStoredAs{Category: "preference", ContentType: "preference"}
	for reason, change := range map[string]func(*core.AgentStoredAs){
		"unknown-category":     func(as *core.AgentStoredAs) { as.Category = "diary" },
		"unknown-content-type": func(as *core.AgentStoredAs) { as.ContentType = "poem" },
		"unknown-channel":      func(as *core.AgentStoredAs) { as.Channel = "fax" },
		"importance-range":     func(as *core.AgentStoredAs) { as.Importance = to(1.5) },
		"agent-reference":      func(as *core.AgentStoredAs) { as.Session = strings.Repeat("s", 201) },
	} {
		k.later(3 * time.Second)
		wrong := as
		change(&wrong)
		wantFault(t, second(k.AgentStore(ctx, "cursor", core.AgentStore{Content: "Likes tea", As: wrong})), fault.Invalid, reason)
	}
	equal(t, 0, ok(k.Proposals(ctx, core.ProposalQuery{})).Total)
}

// TestAgentsRetrieveRecords: as the search does, and within a category.
func TestAgentsRetrieveRecords(t *testing.T) {
	k := fresh(t)
	ok(k.MakeCircle(ctx, core.Circle{Name: "Work"}))
	id := k.inWork("drinks tea at noon", "drinks coffee")[0]
	k.add("drinks tea with nobody else") // not in the circle
	ok(k.EditMemory(ctx, id, core.MemoryEdit{Type: to(memory.Preference)}))
	k.lets("cursor", "work", nil)
	for _, c := range []struct {
		within   []core.Category
		searched int
		ids      []string
	}{{nil, 2, []string{id}}, {[]core.Category{"preference"}, 1, []string{id}}, {[]core.Category{"work_pattern"}, 0, nil}} {
		found := ok(k.AgentRetrieve(ctx, "cursor", core.AgentRetrieve{Query: "tea", Categories: c.within}))
		var ids []string
		for _, m := range found.Memories {
			ids = append(ids, m.ID)
			equal(t, "preference", string(m.ContentType))
		}
		equal(t, c.searched, found.Searched)
		equal(t, c.ids, ids)
	}
	calls := ok(k.AgentCalls(ctx, core.AgentCallQuery{})).Items
	equal(t, "retrieve_memory", calls[0].Tool)
}
