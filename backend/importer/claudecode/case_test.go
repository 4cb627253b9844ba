package claudecode_test

import (
	"strconv"
	"strings"
	"testing"

	"keepsake/backend/importer/claudecode"
	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
)

// TestCase40TornLinesAndSidechains is §13.40, as it shows in Claude Code: a torn last line, a record
// that stands twice, the file of a subagent with its parent's session id, and
// text that nobody said.
func TestCase40TornLinesAndSidechains(t *testing.T) {
	whole, alone := gen.ClaudeCode()[0], gen.ClaudeCode()[1]
	r := Read(t, claudecode.Importer{}, LayerFixture(whole, CutLines).Tree(t))
	if len(r.Conversations) != 1 || r.Skipped["subagent"] != 2 || r.Skipped["duplicate"] != 1 {
		t.Fatalf("%d conversations, %v", len(r.Conversations), r.Skipped)
	}
	c := r.Conversations[0]
	var path []string
	for _, m := range c.ActivePath() {
		path = append(path, m.ID)
	}
	if got := strings.Join(path, " "); got != "u1 a1 a2 r1 a3" || c.Title != "Mend the kettle" {
		t.Errorf("%q: %s", c.Title, got)
	}
	torn := string(alone.Files[0].Data) + `{"type":"user","uuid":"u9","parentU`
	r = Read(t, claudecode.Importer{}, Loose("s.jsonl", torn).Tree(t))
	if len(r.Problems) != 1 || r.Problems[0].At != "line 14" || len(r.Conversations[0].Messages) != 5 {
		t.Errorf("torn: %+v, %d messages", r.Problems, len(r.Conversations[0].Messages))
	}
}

// TestCircles: parents that lead in a circle, also through lines that are left
// out, end somewhere.
func TestCircles(t *testing.T) {
	line := func(id, parent, more string) string {
		return `{"type":"user","uuid":"` + id + `","parentUuid":"` + parent + `","sessionId":"s","message":{"role":"user","content":"` + id + `"}` + more + "}\n"
	}
	text := line("a", "b", "") + line("b", "h1", "") + line("h1", "h2", `,"isMeta":true`) + line("h2", "h1", `,"isMeta":true`) + line("c", "c", "") + line("d", "gone", "")
	r := Read(t, claudecode.Importer{}, Loose("s.jsonl", text).Tree(t))
	CheckDrafts(t, claudecode.Importer{}.Info(), r)
	if len(r.Conversations[0].Messages) != 4 {
		t.Errorf("%+v", r.Conversations[0].Messages)
	}
}

// TestTokenCounts: an answer on one line tells how many tokens it has; of one on
// several lines, or with its thoughts, nobody tells how many are whose.
func TestTokenCounts(t *testing.T) {
	line := func(id, answer, content string) string {
		return `{"type":"assistant","uuid":"` + id + `","sessionId":"s","message":{"id":"` + answer + `","role":"assistant","content":[` + content + `],"usage":{"output_tokens":7}}}` + "\n"
	}
	said, thought := `{"type":"text","text":"x"}`, `{"type":"thinking","thinking":"y"}`
	r := Read(t, claudecode.Importer{}, Loose("s.jsonl", line("a", "m1", said)+line("b", "m2", said)+line("c", "m2", said)+line("d", "m3", thought+","+said)).Tree(t))
	var counted []string
	for _, m := range r.Conversations[0].Messages {
		if m.TokenCount != nil && *m.TokenCount == 7 {
			counted = append(counted, m.ID)
		}
	}
	if strings.Join(counted, " ") != "a" {
		t.Errorf("%v of %+v", counted, r.Conversations[0].Messages)
	}
}

// TestTooLargeSession: a session that is more than is held of one.
func TestTooLargeSession(t *testing.T) {
	line := func(session, id, more string) string {
		return `{"type":"user","uuid":"` + id + `","parentUuid":"","sessionId":"` + session + `","message":{"role":"user","content":"` + strings.Repeat("x", 200) + `"}` + more + "}\n"
	}
	var long string
	for i := range 20 {
		long += line("long", "l"+strconv.Itoa(i), "")
	}
	small := line("small", "a", "")
	for i := range 20 { // what is left out is not held
		small += line("small", "s"+strconv.Itoa(i), `,"isSidechain":true`)
	}
	CheckLimit(t, claudecode.Importer{}, claudecode.Holding(1000), "long.jsonl", long, Loose("small.jsonl", small))
}
