package core_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"keepsake/backend/core"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/memory"
)

const heavyTalk = `[{"id":"talk","conversation_id":"talk","create_time":1700000000,"small":"stays","mapping":{
	"a":{"id":"a","parent":null,"message":{"id":"a","author":{"role":"user"},"create_time":1700000000,"content":{"content_type":"text","parts":["hello"]}%s}}},"title":%s%s}]`

// aTalk is the only conversation of the vault.
func (k *kit) aTalk() *memory.Conversation {
	k.t.Helper()
	page := ok(k.Conversations(ctx, core.ConversationQuery{}))
	if len(page.Items) != 1 {
		k.t.Fatalf("%d conversations", len(page.Items))
	}
	return k.conversation(page.Items[0].ID)
}

// Promise: what is not understood and is too much costs no message. It is counted
// and told by its name; what else is not understood stays.
func TestTooMuchThatNobodyUnderstands(t *testing.T) {
	text := func(mib int) string { return `"` + strings.Repeat("x", mib<<20) + `"` }
	for name, c := range map[string]struct {
		title, more, message, left string
		kinds                      []string
	}{
		"one member":        {`"T"`, `,"huge":` + text(3), "", "huge", []string{"too-large:huge"}},
		"the largest first": {`"T"`, `,"one":"` + strings.Repeat("x", 1200<<10) + `","two":` + text(3) + `,"three":` + text(1), "", "two, one", []string{"too-large:one", "too-large:two"}},
		"of a message":      {`"T"`, "", `,"huge":` + text(17), "huge", []string{"too-large:huge"}},
		"a title":           {text(3), "", "", "title", []string{"too-large:title"}},
		"somebody's words":  {`"T"`, `,"my own words":` + text(3), "", "other", []string{"too-large:other"}},
	} {
		t.Run(name, func(t *testing.T) {
			k := provider(t)
			export := k.file("conversations.json", fmt.Appendf(nil, heavyTalk, c.message, c.title, c.more))
			r := k.imports(export)
			if r.Conversations.New != 1 || r.ProblemCount != 1 || len(r.Unknown) != len(c.kinds) {
				t.Fatalf("%d conversations, unknown %v, problems %.600v", r.Conversations.New, r.Unknown, r.Problems)
			}
			for _, kind := range c.kinds {
				if r.Unknown[kind] != 1 {
					t.Errorf("%s is not counted: %v", kind, r.Unknown)
				}
			}
			if p := r.Problems[0]; p.Reason != "conversation-lightened" || !strings.Contains(p.Message, "first: "+c.left+". ") {
				t.Errorf("told %.200q", p.Message)
			}
			if talk := k.aTalk(); len(talk.Messages) != 1 || talk.Messages[0].Content.PlainText() != "hello" || string(talk.RawMetadata["small"]) != `"stays"` {
				t.Errorf("%d messages, kept %d members", len(talk.Messages), len(talk.RawMetadata))
			}
			if kept := ok(k.Import(ctx, inputs(export), keeping, nil)); kept.Sources[0].Original == "" {
				t.Error("the file cannot be kept as the report advises")
			}
		})
	}
}

// TestASessionWithMuchThatNobodyUnderstands: four hundred messages stay, although
// lines of a kind that nobody knows are more than is kept of them.
func TestASessionWithMuchThatNobodyUnderstands(t *testing.T) {
	k := provider(t)
	var lines strings.Builder
	for i := range 400 {
		fmt.Fprintf(&lines, `{"type":"user","uuid":"u%d","parentUuid":null,"sessionId":"s","timestamp":"2026-05-01T10:00:00Z","message":{"role":"user","content":"word %d"}}`+"\n", i, i)
		fmt.Fprintf(&lines, `{"type":"novelty","uuid":"n%d","more":%q}`+"\n", i, strings.Repeat("y", 6000))
	}
	r := k.imports(k.file("session.jsonl", []byte(lines.String())))
	if r.Conversations.New != 1 || len(k.aTalk().Messages) != 400 || r.Unknown["record:novelty"] != 400 || r.Unknown["too-large:unknown_lines"] != 1 {
		t.Errorf("%d conversations, unknown %v, problems %d", r.Conversations.New, r.Unknown, r.ProblemCount)
	}
}

// TestNothingIsLeftOutThatFits holds that an export as usual is kept as it stands.
func TestNothingIsLeftOutThatFits(t *testing.T) {
	k := provider(t)
	files, _ := gen.ChatGPTFiles(gen.ChatGPTOptions{Seed: 7, Conversations: 1})
	var list []map[string]any
	if err := json.Unmarshal(files[0].Data, &list); err != nil {
		t.Fatal(err)
	}
	list[0]["large"] = strings.Repeat("x", 1900<<10)
	data, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	r := k.imports(k.file("conversations.json", data))
	if r.ProblemCount != 0 || len(k.aTalk().RawMetadata["large"]) != 1900<<10+2 {
		t.Errorf("problems %v, %d bytes kept", r.Problems, len(k.aTalk().RawMetadata["large"]))
	}
}
