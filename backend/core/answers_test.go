package core_test

import (
	"maps"
	"testing"

	"keepsake/backend/core"
)

// TestAnswersWithoutTextAreTold holds, over several readers, that the report counts the
// answers that have no text, by what they hold instead.
func TestAnswersWithoutTextAreTold(t *testing.T) {
	const session = "11111111-2222-4333-8444-555555555555"
	for name, c := range map[string]struct {
		file, text string
		want       map[string]int
	}{
		"chatgpt": {"conversations.json", `[{"id":"c","conversation_id":"c","create_time":1780000000,"mapping":{
			"q":{"id":"q","parent":null,"message":{"id":"q","author":{"role":"user"},"content":{"content_type":"text","parts":["Why?"]}}},
			"a":{"id":"a","parent":"q","message":{"id":"a","author":{"role":"assistant"},"content":{"content_type":"text","parts":[""]},"metadata":{"some_widget":{"text":"Because."}}}},
			"b":{"id":"b","parent":"a","message":{"id":"b","author":{"role":"assistant"},"recipient":"web","content":{"content_type":"text","parts":["find"]}}},
			"d":{"id":"d","parent":"b","message":{"id":"d","author":{"role":"assistant"},"content":{"content_type":"text","parts":["So."]}}}}}]`,
			map[string]int{"metadata": 1, "call": 1}},
		"claude": {"conversations.json", `[{"uuid":"c","name":"n","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z","chat_messages":[
			{"uuid":"q","sender":"human","created_at":"2026-01-01T00:00:00Z","text":"Why?","content":[{"type":"text","text":"Why?"}]},
			{"uuid":"a","sender":"assistant","created_at":"2026-01-01T00:00:01Z","text":"","content":[{"type":"tool_use","name":"f","input":{}}]},
			{"uuid":"b","sender":"assistant","created_at":"2026-01-01T00:00:02Z","text":"So.","content":[{"type":"text","text":"So."}]}]}]`,
			map[string]int{"call": 1}},
		"claude-code": {session + ".jsonl", claudeCodeLine + "\n" +
			`{"type":"assistant","uuid":"u2","parentUuid":"u1","sessionId":"` + session + `","timestamp":"2026-06-01T10:00:01Z","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"t","name":"Read","input":{}}]}}` + "\n",
			map[string]int{"call": 1}},
		"all text": {"conversations.json", `[{"id":"c","conversation_id":"c","create_time":1780000000,"mapping":{
			"a":{"id":"a","parent":null,"message":{"id":"a","author":{"role":"assistant"},"content":{"content_type":"text","parts":["So."]}}}}}]`, nil},
	} {
		k := provider(t)
		path := k.file(name+"/"+c.file, []byte(c.text))
		dry := ok(k.Import(ctx, inputs(path), core.ImportOptions{DryRun: true}, nil))
		r := k.imports(path)
		if !maps.Equal(r.AnswersWithoutText, c.want) || !maps.Equal(dry.AnswersWithoutText, c.want) || len(r.Problems) != 0 {
			t.Errorf("%s: %v, foreseen %v, %+v", name, r.AnswersWithoutText, dry.AnswersWithoutText, r.Problems)
		}
		if again := k.imports(path); !maps.Equal(again.AnswersWithoutText, c.want) {
			t.Errorf("%s: the same file again says %v", name, again.AnswersWithoutText)
		}
	}
}
