package claudecode_test

import (
	"fmt"
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
	if got := activePath(c); got != "u1 a1 a2 r1 a3" || c.Title != "Mend the kettle" {
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

// TestField05SummaryOfAnotherSession: a file holds titles of other sessions, which name a
// message that is in none of its lines.
func TestField05SummaryOfAnotherSession(t *testing.T) {
	summary := func(text, leaf string) string {
		return `{"type":"summary","summary":"` + text + `","leafUuid":"` + leaf + `"}` + "\n"
	}
	said := `{"type":"user","uuid":"e1","parentUuid":null,"sessionId":"s","message":{"role":"user","content":"Which colour?"}}` + "\n"
	for text, want := range map[string]string{
		summary("Printer", "f1") + said + summary("Shop sign", "e1") + summary("Mail filter", "f2"): "Shop sign",
		summary("Shop sign", "e1") + said: "Shop sign",
		summary("Printer", "f1") + said:   "",
		said + `{"type":"custom-title","customTitle":"Mine","sessionId":"s"}` + "\n" + summary("Mail filter", "f2"): "Mine",
	} {
		if r := Read(t, claudecode.Importer{}, Loose("s.jsonl", text).Tree(t)); r.Conversations[0].Title != want {
			t.Errorf("%q, not %q", r.Conversations[0].Title, want)
		}
	}
}

// TestField71ParallelCalls: results of calls that were made at the same time are no
// versions of each other, whatever line each stands below.
func TestField71ParallelCalls(t *testing.T) {
	line := func(id, parent, kind, answer, content string) string {
		return `{"type":"` + kind + `","uuid":"` + id + `","parentUuid":"` + parent + `","sessionId":"s","message":{"id":"` + answer + `","role":"` + kind + `","content":[` + content + `]}}` + "\n"
	}
	call := func(id string) string { return `{"type":"tool_use","id":"` + id + `","name":"Read","input":{}}` }
	result := func(id string) string { return `{"type":"tool_result","tool_use_id":"` + id + `","content":"x"}` }
	said := `{"type":"text","text":"x"}`
	for text, want := range map[string]string{
		line("a", "", "user", "", said) + line("b1", "a", "assistant", "m", call("t1")) + line("b2", "b1", "assistant", "m", call("t2")) +
			line("c1", "b1", "user", "", result("t1")) + line("c2", "b2", "user", "", result("t2")) + line("d", "c2", "assistant", "n", said): "a b1 b2 c1 c2 d",
		line("a", "", "user", "", said) + line("b1", "a", "assistant", "m", call("t1")) + line("c1", "b1", "user", "", result("t1")) +
			line("b2", "b1", "assistant", "m", call("t2")) + line("c2", "b2", "user", "", result("t2")) + line("d", "c1", "assistant", "n", said): "a b1 b2 c1 c2 d",
		line("a", "", "user", "", said) + line("b1", "a", "assistant", "m", call("t1")) + line("c1", "b1", "user", "", result("t1")) +
			line("b2", "c1", "assistant", "m", call("t2")) + line("c2", "b2", "user", "", result("t2")): "a b1 c1 b2 c2",
	} {
		r := Read(t, claudecode.Importer{}, Loose("s.jsonl", text).Tree(t))
		if got := activePath(r.Conversations[0]); got != want {
			t.Errorf("%s, not %s", got, want)
		}
	}
}

// TestField06ParentsNeverWritten: after a compaction lines name parents that stand in no
// file; they follow the line before them.
func TestField06ParentsNeverWritten(t *testing.T) {
	line := func(id, parent, more string) string {
		return `{"type":"user","uuid":"` + id + `","parentUuid":` + parent + `,"sessionId":"s"` + more + `,"message":{"role":"user","content":"` + id + `"}}` + "\n"
	}
	text := line("f1", "null", "") + line("f2", `"f1"`, "") +
		`{"type":"system","uuid":"f3","parentUuid":null,"logicalParentUuid":"gone","sessionId":"s"}` + "\n" +
		line("f4", `"f3"`, `,"isCompactSummary":true`) + line("f5", `"f4"`, "") + line("f6", `"never"`, "") + line("f7", `"f6"`, "")
	r := Read(t, claudecode.Importer{}, Loose("s.jsonl", text).Tree(t))
	if got := activePath(r.Conversations[0]); got != "f1 f2 f5 f6 f7" {
		t.Error(got)
	}
}

func activePath(c Conversation) string {
	var path []string
	for _, m := range c.ActivePath() {
		path = append(path, m.ID)
	}
	return strings.Join(path, " ")
}

// TestField01TypedWhileBusy: what a person types while a tool runs stands in a line of its
// own, without an id and a parent.
func TestField01TypedWhileBusy(t *testing.T) {
	text := `{"type":"user","uuid":"a1","parentUuid":null,"sessionId":"s","timestamp":"2026-09-01T08:00:00Z","message":{"role":"user","content":"Rewrite the plan."}}
{"type":"assistant","uuid":"a2","parentUuid":"a1","sessionId":"s","timestamp":"2026-09-01T08:00:05Z","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Read","input":{}}]}}
{"type":"attachment","sessionId":"s","timestamp":"2026-09-01T08:00:07Z","attachment":{"type":"queued_command","prompt":"I am allergic to walnuts."}}
{"type":"attachment","sessionId":"s","timestamp":"2026-09-01T08:00:08Z","attachment":{"type":"queued_command","prompt":[{"type":"text","text":"And to dust."}]}}
{"type":"user","uuid":"a3","parentUuid":"a2","sessionId":"s","timestamp":"2026-09-01T08:00:09Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"old plan"}]}}
{"type":"assistant","uuid":"a4","parentUuid":"a3","sessionId":"s","timestamp":"2026-09-01T08:00:12Z","message":{"id":"n","role":"assistant","content":[{"type":"text","text":"Done."}]}}
`
	r := Read(t, claudecode.Importer{}, Loose("s.jsonl", text).Tree(t))
	var said []string
	for _, m := range r.Conversations[0].ActivePath() {
		said = append(said, string(m.Role)+" "+m.Content.PlainText())
	}
	if got := strings.Join(said, "; "); got != "user Rewrite the plan.; assistant ; user I am allergic to walnuts.; user And to dust.; tool old plan; assistant Done." {
		t.Error(got)
	}
}

// TestField02WordsOfTheEditor: envelopes that an editor writes into the person's place are
// cut off, and what is left is theirs.
func TestField02WordsOfTheEditor(t *testing.T) {
	line := func(id, content string) string {
		return `{"type":"user","uuid":"` + id + `","parentUuid":null,"sessionId":"s","message":{"role":"user","content":` + content + `}}` + "\n"
	}
	text := line("b1", `"<ide_opened_file>till.py</ide_opened_file>"`) +
		line("b2", `[{"type":"text","text":"<ide_selection>price = 3</ide_selection>"},{"type":"text","text":"Why three?"}]`) +
		line("b4", `"<ide_opened_file>tax.py</ide_opened_file>\nPlease round up."`) +
		line("b5", `"<command-message>review</command-message><command-name>/review</command-name><command-args>the fence</command-args>"`) +
		line("b6", `"<command-name>/clear</command-name><command-args></command-args>"`) +
		line("b7", `"<bash-input>ls</bash-input>"`) + line("b8", `"<verse>Roses</verse>"`) +
		`{"type":"assistant","uuid":"b9","sessionId":"s","isApiErrorMessage":true,"message":{"role":"assistant","content":[{"type":"text","text":"API Error"}]}}` + "\n"
	r := Read(t, claudecode.Importer{}, Loose("s.jsonl", text).Tree(t))
	var said []string
	for _, m := range r.Conversations[0].Messages {
		says := m.ID + " " + m.Content.PlainText()
		for _, call := range m.ToolCalls {
			says += call.Name + " " + call.InputText()
		}
		said = append(said, says)
	}
	if got := strings.Join(said, "; "); got != "b2 Why three?; b4 Please round up.; b5 /review the fence; b7 shell ls; b8 <verse>Roses</verse>" {
		t.Error(got)
	}
	if r.Skipped["hidden-context"] != 1 || r.Skipped["command"] != 1 || r.Skipped["notice"] != 1 || r.Unknown["envelope:verse"] != 1 {
		t.Errorf("%v, %v", r.Skipped, r.Unknown)
	}
	if kept := string(r.Conversations[0].Messages[0].RawMetadata["program_text"]); !strings.Contains(kept, "price = 3") {
		t.Error(kept)
	}
}

// TestForeignF10BrokenTwin: a line whose message cannot be read takes no id from the intact
// one after it.
func TestForeignF10BrokenTwin(t *testing.T) {
	text := `{"type":"user","uuid":"a","sessionId":"s","message":null}` + "\n" + `{"type":"user","uuid":"a","sessionId":"s","message":{"role":"user","content":"Whole."}}` + "\n"
	if r := Read(t, claudecode.Importer{}, Loose("s.jsonl", text).Tree(t)); len(r.Conversations) != 1 || r.Conversations[0].Messages[0].Content.PlainText() != "Whole." {
		t.Errorf("%+v, %v", r.Conversations, r.Skipped)
	}
}

// TestField74TheLeafThatIsNamed: the last line that names a leaf says where the active
// path ends, however many lines stand behind it; what was said behind it since goes on.
func TestField74TheLeafThatIsNamed(t *testing.T) {
	named := func(id string) string {
		return `{"type":"last-prompt","lastPrompt":"x","leafUuid":"` + id + `","sessionId":"5f2c0a4e-0000-4000-8000-000000000001"}` + "\n"
	}
	told := func(second int, kind, id, parent, text string) string {
		up := "null"
		if parent != "" {
			up = strconv.Quote(parent)
		}
		return fmt.Sprintf(`{"type":%q,"uuid":%q,"parentUuid":%s,"sessionId":"5f2c0a4e-0000-4000-8000-000000000001","timestamp":"2026-09-02T09:00:%02d.000Z","message":{"role":%q,"content":%q}}`+"\n", kind, id, up, second, kind, text)
	}
	first := told(1, "user", "a", "", "Which colour?") + told(2, "assistant", "b", "a", "Red.") + told(3, "user", "c", "a", "In a word?") + told(4, "assistant", "d", "c", "Blue.")
	for name, c := range map[string]struct{ text, want string }{
		"the older branch":       {first + named("d") + named("b"), "b"},
		"it went on since":       {first + named("b") + told(5, "user", "e", "b", "Why?") + told(6, "assistant", "f", "e", "It is warm."), "f"},
		"the other went on":      {first + named("b") + told(5, "user", "e", "d", "Why?"), "b"},
		"a line of another":      {first + named("nobody"), "d"},
		"before what it names":   {named("b") + first, "b"},
		"a line that is no talk": {first + `{"type":"system","uuid":"s","parentUuid":"b","sessionId":"5f2c0a4e-0000-4000-8000-000000000001"}` + "\n" + named("s"), "b"},
	} {
		if leaf := Read(t, claudecode.Importer{}, Loose("5f2c0a4e-0000-4000-8000-000000000001.jsonl", c.text).Tree(t)).Conversations[0].Leaf; leaf != c.want {
			t.Errorf("%s: %s, want %s", name, leaf, c.want)
		}
	}
}

// TestField07ResultsBesideTheSession: where a large result was saved to a file that was
// dropped too, its text is the result; where not, the stub stays and says so.
func TestField07ResultsBesideTheSession(t *testing.T) {
	const id = "11111111-2222-4333-8444-555555555555"
	line := func(kind, id, content string) string {
		return `{"type":"` + kind + `","uuid":"` + id + `","parentUuid":null,"sessionId":"11111111-2222-4333-8444-555555555555","timestamp":"2026-09-02T09:00:01.000Z","message":{"role":"` + kind + `","content":` + content + "}}\n"
	}
	stub := func(place string) string {
		return strconv.Quote("<persisted-output>\nOutput too large (60KB). Full output saved to: " + place + "\n\nPreview (first 2KB):\nM3 x 10\n...\n</persisted-output>")
	}
	named := "/home/pat/.claude/projects/-home-pat-shop/" + id + "/tool-results/toolu_9.txt"
	session := func(content string) gen.File {
		return gen.File{Name: "p/" + id + ".jsonl", Data: []byte(line("user", "g1", `"List every screw."`) + line("user", "g3", `[{"type":"tool_result","tool_use_id":"toolu_9","content":`+content+`}]`))}
	}
	result := gen.File{Name: "p/" + id + "/tool-results/toolu_9.txt", Data: []byte("M3 x 10\nM3 x 12\nM4 x 20")}
	other := gen.File{Name: "p/22222222-2222-4333-8444-555555555555/tool-results/toolu_9.txt", Data: []byte("of another session")}
	read := func(files ...gen.File) *Recording {
		return Read(t, claudecode.Importer{}, Fixture{Files: []gen.File{{Name: "claude.zip", Data: gen.Zip(files)}}}.Tree(t))
	}
	sums := map[[32]byte]bool{}
	for name, c := range map[string]struct {
		r      *Recording
		want   string
		others int
	}{
		"text":           {read(session(stub(named)), result, other), "M3 x 10\nM3 x 12\nM4 x 20", 1},
		"a list":         {read(session(`[{"type":"text","text":`+stub(named)+`}]`), result), "M3 x 10\nM3 x 12\nM4 x 20", 0},
		"of Windows":     {read(session(stub(`C:\Users\Pat\.claude\projects\p\`+id+`\tool-results\toolu_9.txt`)), result), "M3 x 10\nM3 x 12\nM4 x 20", 0},
		"not there":      {read(session(stub(named)), other), "<persisted-output>", 1},
		"not named":      {read(session(`"<persisted-output>"`), result), "<persisted-output>", 1},
		"no output":      {read(session(stub(named)), gen.File{Name: result.Name, Data: []byte(" \n")}), "<persisted-output>", 0},
		"the whole tree": {read(gen.File{Name: id + ".jsonl", Data: session(stub(named)).Data}, gen.File{Name: id + "/tool-results/toolu_9.txt", Data: result.Data}), "M3 x 10\nM3 x 12\nM4 x 20", 0},
	} {
		m := c.r.Conversations[0].Messages[1]
		if got := m.Content.PlainText(); !strings.HasPrefix(got, c.want) || m.Role != "tool" || c.r.Skipped["other-file"] != c.others {
			t.Errorf("%s: %s: %q, %v", name, m.Role, got, c.r.Skipped)
		}
		if name == "text" || name == "not there" {
			sums[c.r.Conversations[0].Sum] = true
		}
	}
	if len(sums) != 2 {
		t.Error("a session with its files is not told from one without")
	}
}

// TestWordsBesideAResult: what a person says in a line with a result of a tool is theirs,
// and what the program says there is nobody's.
func TestWordsBesideAResult(t *testing.T) {
	line := func(more string) string {
		return `{"type":"assistant","uuid":"a","parentUuid":null,"sessionId":"s","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{}}]}}` + "\n" +
			`{"type":"user","uuid":"r","parentUuid":"a","sessionId":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"rejected"},{"type":"text","text":"` + more + `"}]}}` + "\n" +
			`{"type":"assistant","uuid":"b","parentUuid":"r","sessionId":"s","message":{"id":"n","role":"assistant","content":[{"type":"text","text":"Done."}]}}` + "\n"
	}
	for more, want := range map[string]string{
		"Use the other drill.":                          "tool: rejected; user: Use the other drill.; assistant: Done.",
		"[Request interrupted by user for tool use]":    "tool: rejected; assistant: Done.",
		"<system-reminder>x</system-reminder> No, red.": "tool: rejected; user: No, red.; assistant: Done.",
	} {
		c := Read(t, claudecode.Importer{}, Loose("s.jsonl", line(more)).Tree(t)).Conversations[0]
		var all []string
		for _, m := range c.Messages[1:] {
			all = append(all, string(m.Role)+": "+m.Content.PlainText())
		}
		if got := strings.Join(all, "; "); got != want || len(strings.Fields(activePath(c))) != len(c.Messages) {
			t.Errorf("%s: %s, %s", more, got, activePath(c))
		}
	}
}
