package all_test

import (
	"testing"

	"keepsake/backend/importer"
	"keepsake/backend/importer/all"
	. "keepsake/backend/importer/importertest"
)

// TestReadersKnowWhatTheyRead: Sniff recognises every file of lines that Read can read:
// lines without optional members, a torn first line, a first line of a rare kind.
func TestReadersKnowWhatTheyRead(t *testing.T) {
	for name, c := range map[string]struct{ reader, file, text string }{
		"Claude Code without parents":  {"claude-code", "s.jsonl", `{"type":"user","uuid":"a","sessionId":"s","message":{"role":"user","content":"Hi"}}` + "\n" + `{"type":"assistant","uuid":"b","sessionId":"s","message":{"role":"assistant","content":"Hello"}}`},
		"Claude Code without ids":      {"claude-code", "s.jsonl", `{"type":"user","sessionId":"s","message":{"role":"user","content":"Hi"}}` + "\n" + `{"type":"assistant","sessionId":"s","message":{"role":"assistant","content":"Hello"}}`},
		"Claude Code, streamed":        {"claude-code", "s.jsonl", `{"type":"system","subtype":"init","session_id":"s"}` + "\n" + `{"type":"user","uuid":"a","session_id":"s","message":{"role":"user","content":"Hi"}}` + "\n" + `{"type":"assistant","uuid":"b","session_id":"s","message":{"role":"assistant","content":"Hello"}}`},
		"Claude Code, first line torn": {"claude-code", "s.jsonl", `{"type":"user","uuid":"x","sess` + "\n" + `{"type":"user","uuid":"a","parentUuid":null,"sessionId":"s","message":{"role":"user","content":"Hi"}}` + "\n" + `{"type":"assistant","uuid":"b","parentUuid":"a","sessionId":"s","message":{"role":"assistant","content":"Hello"}}`},
		"Claude Code for the web":      {"claude-code", "session.json", `{"loglines":[{"type":"user","timestamp":"2026-09-01T10:00:00Z","message":{"role":"user","content":"Hi"}},{"type":"assistant","timestamp":"2026-09-01T10:00:01Z","message":{"role":"assistant","content":[{"type":"text","text":"Hello"}]}}]}`},
		"Codex without times":          {"codex", "rollout.jsonl", `{"type":"session_meta","payload":{"id":"s"}}` + "\n" + `{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Hi"}]}}` + "\n" + `{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hello"}]}}`},
		"Codex, another first line":    {"codex", "rollout.jsonl", `{"type":"quite_new","payload":{"x":1}}` + "\n" + `{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Hi"}]}}` + "\n" + `{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hello"}]}}`},
		"Codex without a first line":   {"codex", "rollout.jsonl", `{"type":"message","role":"user","content":[{"type":"input_text","text":"Hi"}]}` + "\n" + `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hello"}]}`},
		"Gemini CLI without a project": {"gemini-cli", "session.jsonl", `{"sessionId":"s","startTime":"2026-09-01T10:00:00Z"}` + "\n" + `{"id":"a","type":"user","content":"Hi"}` + "\n" + `{"id":"b","type":"gemini","content":"Hello"}`},
		"Jan without kinds":            {"jan", "messages.jsonl", `{"id":"a","thread_id":"t","role":"user","content":[{"type":"text","text":{"value":"Hi"}}]}` + "\n" + `{"id":"b","thread_id":"t","role":"assistant","content":[{"type":"text","text":{"value":"Hello"}}]}`},
	} {
		f := Loose(name, c.text)
		f.Files[0].Name = c.file
		tree := f.Tree(t)
		found, err := importer.Registry(all.Importers()).Match(t.Context(), tree)
		if err != nil || found.Importer.Info().ID != c.reader || found.Match.Certainty != importer.Certain {
			t.Errorf("%s: %v, %+v", name, err, found.Match)
			continue
		}
		r := Read(t, found.Importer, tree)
		if len(r.Conversations) != 1 || len(r.Conversations[0].Messages) != 2 {
			t.Errorf("%s: %+v, %v", name, r.Conversations, r.Skipped)
			continue
		}
		m := r.Conversations[0].Messages
		if m[0].Content.PlainText() != "Hi" || m[1].Content.PlainText() != "Hello" || m[1].ParentID != m[0].ID || r.Conversations[0].Leaf != m[1].ID {
			t.Errorf("%s: %+v", name, m)
		}
	}
}
