package core_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"keepsake/backend/core"
	"keepsake/backend/memory"
)

// Tests of what a close look at the window found, by the number in docs/cases.md.

// turn is a message of an export that a test makes: who, what, and of a tool's call
// its input.
type turn struct{ who, text string }

// chatGPTZip is an export of ChatGPT: each talk is a line of messages, and what the
// assistant writes to "bio" becomes a saved memory.
func (k *kit) chatGPTZip(name string, talks map[string][]turn) string {
	var all []map[string]any
	at := dayOne
	for _, title := range slices.Sorted(maps.Keys(talks)) {
		id := fmt.Sprintf("%s-%d", strings.TrimSuffix(name, ".zip"), len(all))
		nodes := map[string]any{}
		parent := any(nil)
		last := ""
		for i, s := range talks[title] {
			at = at.Add(time.Minute)
			node := fmt.Sprintf("%s-n%d", id, i)
			content := map[string]any{"content_type": "text", "parts": []string{s.text}}
			message := map[string]any{"id": node, "author": map[string]any{"role": s.who}, "content": content, "create_time": at.Unix(), "recipient": "all", "status": "finished_successfully", "weight": 1}
			switch s.who {
			case "bio":
				message["author"], message["recipient"] = map[string]any{"role": "assistant"}, "bio"
			case "call":
				message["author"], message["recipient"] = map[string]any{"role": "assistant"}, "browser"
				message["content"] = map[string]any{"content_type": "code", "text": s.text}
			case "tool":
				message["author"] = map[string]any{"role": "tool", "name": "browser"}
			}
			nodes[node] = map[string]any{"id": node, "parent": parent, "children": []string{}, "message": message}
			parent, last = node, node
		}
		all = append(all, map[string]any{"id": id, "conversation_id": id, "title": title, "create_time": at.Unix(), "update_time": at.Unix(), "mapping": nodes, "current_node": last})
	}
	return k.file(name, zipOf(k.t, map[string][]byte{"conversations.json": ok(json.Marshal(all)), "user.json": []byte(`{"id":"user-1","email":"ada@example.org"}`)}))
}

// claudeZip is an export of Claude; a tool's call stands beside no words of the
// assistant.
func (k *kit) claudeZip(name string, talks map[string][]turn) string {
	var all []map[string]any
	at := dayOne
	stamp := func() string { return at.Format("2006-01-02T15:04:05.000000Z") }
	for _, title := range slices.Sorted(maps.Keys(talks)) {
		id := fmt.Sprintf("0b1f0000-0000-4000-8000-%012d", len(all))
		var messages []map[string]any
		for i, s := range talks[title] {
			at = at.Add(time.Minute)
			block := map[string]any{"type": "text", "text": s.text}
			sender := map[string]string{"user": "human"}[s.who]
			if s.who == "call" {
				block = map[string]any{"type": "tool_use", "name": "web_search", "input": map[string]string{"query": s.text}}
			}
			if sender == "" {
				sender = "assistant"
			}
			text := s.text
			if s.who == "call" {
				text = ""
			}
			messages = append(messages, map[string]any{"uuid": fmt.Sprintf("%s%04d", id[:32], i), "sender": sender, "text": text, "content": []any{block}, "created_at": stamp(), "updated_at": stamp(), "attachments": []any{}, "files": []any{}})
		}
		all = append(all, map[string]any{"uuid": id, "name": title, "created_at": stamp(), "updated_at": stamp(), "account": map[string]string{"uuid": "acc-1"}, "chat_messages": messages})
	}
	users := []byte(`[{"uuid":"acc-1","full_name":"Ada","email_address":"ada@example.org"}]`)
	return k.file(name, zipOf(k.t, map[string][]byte{"conversations.json": ok(json.Marshal(all)), "users.json": users}))
}

// mothTalks are talks of one assistant about a dog called Moth, in five languages;
// what it answers to most of them is always the same.
func mothTalks(copies int) map[string][]turn {
	talks := map[string][]turn{
		"Moth and the postman": {{"user", "Moth barks at the postman, what now?"}, {"assistant", "Let Moth sniff the bag, and praise every quiet second of it, again and again, for moth after moth after moth."}},
		"Deutsch":              {{"user", "Unsere Hündin Moth frisst zu schnell."}, {"assistant", "Ein Napf mit Noppen hilft Moth."}},
		"Português":            {{"user", "A Moth tem medo de trovão."}, {"assistant", "Deixe a Moth num canto escuro."}},
		"Français":             {{"user", "Moth tire sur la laisse."}, {"assistant", "Arrêtez-vous dès que Moth tire."}},
		"日本語":                  {{"user", "Moth が夜に吠えます。"}, {"assistant", "Moth を先に散歩させてください。"}},
		"Looked up":            {{"user", "Find a vet."}, {"call", `search("moth vet moth moth moth")`}, {"tool", "moth moth moth: results about moth moths"}, {"assistant", "There is one nearby."}},
	}
	for i := range copies {
		talks[fmt.Sprintf("Walk %02d", i)] = []turn{{"user", fmt.Sprintf("Walk number %d today?", i)}, {"assistant", "Moth needs an hour of walking a day."}}
	}
	return talks
}

// tiers are the kinds of what was found, in order, each once as it begins.
func tiers(r core.SearchResult) (kinds []string) {
	for _, h := range r.Hits {
		kind := h.Kind
		if h.ToolCalls {
			kind = "tool"
		}
		if len(kinds) == 0 || kinds[len(kinds)-1] != kind {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// Promise (2): a search shows memories first, then titles, then messages, and what
// tools did last, however often those say the word; equal texts stand as one with
// their number; and pages follow one another without a gap.
func TestWindow02MemoriesFirst(t *testing.T) {
	k := provider(t)
	talks := mothTalks(26)
	talks["A new dog"] = []turn{{"user", "We named our dog Moth."}, {"bio", "Named their dog Moth, a grey lurcher"}, {"assistant", "Noted."}}
	k.imports(k.chatGPTZip("chat.zip", talks))
	k.imports(k.claudeZip("claude.zip", mothTalks(8)))
	if err := k.WaitForIndex(ctx); err != nil {
		t.Fatal(err)
	}
	all := ok(k.Search(ctx, core.SearchQuery{Text: "moth", Limit: 200}))
	equal(t, []string{core.FoundMemory, core.FoundConversation, core.FoundMessage, "tool"}, tiers(all))
	if first := all.Hits[0]; first.Type == "" || !strings.Contains(snippetOf(first), "lurcher") {
		t.Errorf("first is %+v", first)
	}
	alike, counted := 0, 0
	for _, h := range all.Hits {
		counted += 1 + len(h.Alike)
		if strings.Contains(snippetOf(h), "an hour of walking") {
			alike += 1 + len(h.Alike)
			for _, other := range h.Alike {
				if other.ConversationID == "" || other.ID == h.ID && other.ConversationID == h.ConversationID {
					t.Errorf("alike: %+v", other)
				}
			}
		}
	}
	equal(t, 26+8, alike)
	equal(t, all.Total, counted)
	equal(t, 0, all.Next)

	pages := core.SearchResult{}
	for offset, more := 0, true; more; {
		page := ok(k.Search(ctx, core.SearchQuery{Text: "moth", Limit: 3, Offset: offset}))
		if len(page.Hits) == 0 || len(page.Hits) > 3 || page.Next > 0 && len(page.Hits) != 3 {
			t.Fatalf("a page of %d at %d", len(page.Hits), offset)
		}
		for _, h := range page.Hits {
			at := slices.IndexFunc(pages.Hits, func(before core.Hit) bool { return before.Same == h.Same })
			if at < 0 {
				pages.Hits = append(pages.Hits, h)
				continue
			}
			alike := h.Alike
			h.Alike = nil
			pages.Hits[at].Alike = append(append(pages.Hits[at].Alike, h), alike...)
		}
		offset, more = page.Next, page.Next > 0
	}
	equal(t, len(all.Hits), len(pages.Hits))
	for i, h := range all.Hits {
		if got := pages.Hits[i]; got.ID != h.ID || len(got.Alike) != len(h.Alike) {
			t.Errorf("hit %d is %s and %d alike on its page, %s and %d in the whole", i, got.ID, len(got.Alike), h.ID, len(h.Alike))
		}
	}

	// After the index was made again, and the vault opened again.
	if err := k.RebuildIndex(ctx); err != nil {
		t.Fatal(err)
	}
	k.reopen()
	if err := k.WaitForIndex(ctx); err != nil {
		t.Fatal(err)
	}
	equal(t, tiers(all), tiers(ok(k.Search(ctx, core.SearchQuery{Text: "moth", Limit: 200}))))
	equal(t, []string{core.FoundMemory, core.FoundMessage, "tool"}, tiers(ok(k.Search(ctx, core.SearchQuery{Text: `"dog moth"`, Limit: 200}))))
}

// A memory that was retracted does not stand for one that holds, nor one for a
// message of the same words.
func TestWindow02AlikeIsOfOneKind(t *testing.T) {
	k := fresh(t)
	said := "Named their dog Moth"
	ok(k.AddMemory(ctx, core.NewMemory{Type: memory.Fact, Content: said}))
	second := ok(k.AddMemory(ctx, core.NewMemory{Type: memory.Fact, Content: said + " today"}))
	ok(k.SetStatus(ctx, second.ID, memory.Retracted, ""))
	k.imports(k.write("a.zip", book{Conversations: []talk{{ID: "c", Title: said, At: dayOne, Updated: dayOne, Lines: []line{
		{ID: "q", Role: "user", Text: said, At: dayOne}, {ID: "r", Role: "user", Text: said + " ", At: dayOne}, {ID: "t", Role: "tool", Text: said, At: dayOne}}}}}))
	if err := k.WaitForIndex(ctx); err != nil {
		t.Fatal(err)
	}
	r := ok(k.Search(ctx, text("moth")))
	equal(t, []string{core.FoundMemory, core.FoundConversation, core.FoundMessage, "tool"}, tiers(r))
	equal(t, 5, len(r.Hits)) // two memories, the title, one of two messages, the tool
	equal(t, 1, len(r.Hits[3].Alike))
	equal(t, 6, r.Total)
}

func snippetOf(h core.Hit) string {
	var b strings.Builder
	for _, p := range h.Snippet {
		b.WriteString(p.Text)
	}
	return b.String()
}

// Promise (5): a memory that the person gave other words is theirs: it says so, is as
// certain as what they write, and leaves so; back to what the source states, or undone,
// it is the source's again.
func TestWindow05Corrected(t *testing.T) {
	k := provider(t)
	k.imports(k.chatGPTZip("chat.zip", map[string][]turn{"Dog": {{"user", "We named our dog Moth."}, {"bio", "Named their cat Moth"}, {"assistant", "Noted."}}}))
	id := k.saying("Named their cat Moth").ID
	before := ok(k.Memory(ctx, id))
	equal(t, false, before.Corrected)
	ok(k.EditMemory(ctx, id, core.MemoryEdit{Tags: to([]string{"pets"})}))
	equal(t, false, ok(k.Memory(ctx, id)).Corrected)
	ok(k.EditMemory(ctx, id, core.MemoryEdit{Content: to("Named their dog Moth")}))
	m := ok(k.Memory(ctx, id))
	equal(t, true, m.Corrected)
	equal(t, 1.0, m.ConfidenceNow)
	equal(t, memory.Manual, m.Record.Provenance.ExtractionMethod)
	equal(t, "chatgpt", m.Record.Provenance.Platform)
	k.reopen()
	equal(t, true, ok(k.Memory(ctx, id)).Corrected)
	ok(k.Undo(ctx))
	undone := ok(k.Memory(ctx, id))
	equal(t, false, undone.Corrected)
	equal(t, before.Record.Provenance, undone.Record.Provenance)
	equal(t, before.ConfidenceNow, undone.ConfidenceNow)
}

// Promise (5): what Claude remembers without a time was there when the export was made,
// by its name, or else by the last change of a conversation of it, and does not stand as
// the newest; where neither is known, the import is named as the time.
func TestWindow05UndatedMemories(t *testing.T) {
	memories := []byte(`[{"account_uuid":"acc-1","conversations_memory":"Ada keeps bees in Porto."}]`)
	talk := `[{"uuid":"0b1f0000-0000-4000-8000-000000000001","name":"Bees","created_at":"2025-01-02T09:00:00Z","updated_at":"2025-01-03T09:00:00Z","account":{"uuid":"acc-1"},"chat_messages":[{"uuid":"m1","sender":"human","text":"Hi","content":[{"type":"text","text":"Hi"}],"created_at":"2025-01-02T09:00:00Z","updated_at":"2025-01-02T09:00:00Z","attachments":[],"files":[]}]}]`
	users := []byte(`[{"uuid":"acc-1","full_name":"Ada","email_address":"ada@example.org"}]`)
	for _, c := range []struct{ name, talks, from, at string }{
		{"data-2025-02-01-10-00-00-batch-0000.zip", talk, "export", "2025-02-01T10:00:00Z"},
		{"claude.zip", talk, "export", "2025-01-03T09:00:00Z"},
		{"claude.zip", "[]", "import", dayOne.UTC().Format(time.RFC3339)},
		{"data-2999-02-01-10-00-00-batch-0000.zip", "[]", "import", dayOne.UTC().Format(time.RFC3339)},
	} {
		k := provider(t)
		k.imports(k.file(c.name, zipOf(t, map[string][]byte{"conversations.json": []byte(c.talks), "memories.json": memories, "users.json": users})))
		m := k.saying("Ada keeps bees in Porto.")
		if m.Metadata["keepsake_created_at"] != c.from || m.Temporal.CreatedAt.UTC().Format(time.RFC3339) != c.at {
			t.Errorf("%s: created %s, from %v; want %s from %s", c.name, m.Temporal.CreatedAt, m.Metadata["keepsake_created_at"], c.at, c.from)
		}
	}
}

// Promise (4): a hand-off tells nobody what was told for one project, unless the rules
// of the target say so, and no line twice.
func TestWindow04HandOff(t *testing.T) {
	k := provider(t)
	grok := []byte(`{"conversations":[{"conversation":{"id":"g1","title":"x","create_time":"2026-01-01T00:00:00Z","modify_time":"2026-01-01T00:00:00Z"},"responses":[{"response":{"_id":"r1","message":"Hi","sender":"human","create_time":"2026-01-01T00:00:00Z"}}]}],"projects":[{"workspace_id":"w1","name":"Boat","custom_personality":"Answer like a sailor."}],"tasks":[],"media_posts":[]}`)
	k.imports(k.file("grok.zip", zipOf(t, map[string][]byte{"prod-grok-backend.json": grok})))
	ok(k.AddMemory(ctx, core.NewMemory{Type: memory.Instruction, Content: "Answer in short sentences"}))
	ok(k.AddMemory(ctx, core.NewMemory{Type: memory.Instruction, Content: "answer in short sentences."}))
	for _, target := range ok(k.Handoffs(ctx)) {
		h := ok(k.PreviewHandoff(ctx, target.Target, core.HandoffOptions{}))
		if text := h.Text(); strings.Contains(text, "sailor") || !strings.Contains(strings.ToLower(text), "answer in short sentences") {
			t.Errorf("%s: %s", target.Target, text)
		}
		for _, p := range h.Parts {
			if n := strings.Count(strings.ToLower(strings.Join(p.Messages, "")), "answer in short sentences"); n > 1 {
				t.Errorf("%s: %s says it %d times", target.Target, p.Name, n)
			}
		}
		equal(t, 1, h.Excluded["project"])
		equal(t, 1, h.Excluded["same-words"])
	}
	if err := k.SetHandoffRules(ctx, "claude", core.HandoffRules{Projects: true}); err != nil {
		t.Fatal(err)
	}
	k.reopen()
	if text := ok(k.PreviewHandoff(ctx, "claude", core.HandoffOptions{})).Text(); !strings.Contains(text, "sailor") {
		t.Error(text)
	}
	if text := ok(k.PreviewHandoff(ctx, "chatgpt", core.HandoffOptions{})).Text(); strings.Contains(text, "sailor") {
		t.Error(text)
	}
}
