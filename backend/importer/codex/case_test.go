package codex_test

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"keepsake/backend/importer"
	"keepsake/backend/importer/codex"
	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/memory"
)

// TestCase40TextTwice is §13.40, as it shows in Codex: the same text once more in an
// event, and the session of a subagent.
func TestCase40TextTwice(t *testing.T) {
	r := Read(t, codex.Importer{}, LayerFixture(gen.Codex()[0], CutLines).Tree(t))
	if len(r.Conversations) != 1 || r.Skipped["repeated"] != 2 || r.Skipped["subagent"] != 1 || r.Skipped["hidden-context"] != 3 || r.Skipped["encrypted"] != 1 {
		t.Fatalf("%d conversations, %v", len(r.Conversations), r.Skipped)
	}
	c, said := r.Conversations[0], 0
	for _, m := range c.Messages {
		if m.Role == memory.User || m.Content.Text == "It is mended." {
			said++
		}
	}
	if said != 2 || c.Title != "Mend the kettle" || c.SystemInstruction != "Be brief." || len(c.Messages) != 5 {
		t.Errorf("%q, %d said, %+v", c.Title, said, c.Messages)
	}
}

// TestTooLargeSession: a session that is more than is held of one.
func TestTooLargeSession(t *testing.T) {
	said := func(text string) string {
		return `{"type":"message","role":"user","content":[{"type":"input_text","text":"` + text + `"}]}` + "\n"
	}
	head := func(id string) string {
		return `{"id":"` + id + `","timestamp":"2026-08-01T10:00:00Z","instructions":""}` + "\n"
	}
	repeated := strings.Repeat(`{"timestamp":"","type":"event_msg","payload":{"type":"user_message","message":"said"}}`+"\n", 50) // is not held
	CheckLimit(t, codex.Importer{}, codex.Holding(1000), "long.jsonl", head("long")+strings.Repeat(said(strings.Repeat("x", 200)), 20),
		Loose("small.jsonl", head("small")+said("said")+repeated))
	// A line of the program's own words is left out, but its sums are held and can pass the limit.
	own := head("own") + said("said")
	for i := range 20 {
		own += said("<environment_context>" + strconv.Itoa(i) + "</environment_context>")
	}
	CheckLimit(t, codex.Importer{}, codex.Holding(1000), "own.jsonl", own, Loose("small.jsonl", head("small")+said("said")))
}

// TestField11TitleInAnEvent: the last event that names the thread has its title, and
// repeats nothing.
func TestField11TitleInAnEvent(t *testing.T) {
	line := func(kind, payload string) string {
		return `{"timestamp":"2026-09-03T10:00:00Z","type":"` + kind + `","payload":` + payload + "}\n"
	}
	named := func(name string) string {
		return line("event_msg", `{"type":"thread_name_updated","thread_id":"01a00000-0000-7000-8000-00000000000a","thread_name":"`+name+`"}`)
	}
	text := line("session_meta", `{"id":"01a00000-0000-7000-8000-00000000000a","timestamp":"2026-09-03T10:00:00Z"}`) + named("Boat") +
		line("response_item", `{"type":"message","role":"user","content":[{"type":"input_text","text":"Name the boat."}]}`) + named("Naming the boat")
	r := Read(t, codex.Importer{}, Loose("rollout-2026-09-03T10-00-00-01a00000-0000-7000-8000-00000000000a.jsonl", text).Tree(t))
	if r.Conversations[0].Title != "Naming the boat" || r.Skipped["repeated"] != 0 || r.Skipped["session-note"] != 3 {
		t.Errorf("%q, %v", r.Conversations[0].Title, r.Skipped)
	}
}

// TestField10WordsOfTheProgram: what Codex writes into the person's place is not theirs, and
// what stands behind it in the same item is.
func TestField10WordsOfTheProgram(t *testing.T) {
	text := `{"timestamp":"2026-09-03T10:00:00Z","type":"session_meta","payload":{"id":"01a00000-0000-7000-8000-00000000000a","timestamp":"2026-09-03T10:00:00Z"}}` + "\n"
	said := func(parts ...string) {
		var list []string
		for _, part := range parts {
			list = append(list, `{"type":"input_text","text":`+strconv.Quote(part)+`}`)
		}
		text += `{"timestamp":"2026-09-03T10:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":[` + strings.Join(list, ",") + "]}}\n"
	}
	said("<recommended_plugins>\n- calendar\n</recommended_plugins>", "# AGENTS.md instructions for /boat\n\n<INSTRUCTIONS>\nBe brief.\n</INSTRUCTIONS>", "<environment_context>x</environment_context>")
	said("<environment_context>\n  <cwd>/boat</cwd>\n</environment_context>\nPaint the hull blue.")
	said("<goal_context>x</goal_context>")
	said("<codex_internal_context source=\"goal\">x</codex_internal_context>")
	said("<skill>\n<name>rigging</name>\nTie knots.\n</skill>")
	said("<subagent_notification>{}</subagent_notification>")
	said("# Context from my IDE setup:\n\n## Active file: hull.txt\n\n## My request for Codex:\nMake the mast red.")
	said("<verse>Roses</verse>")
	r := Read(t, codex.Importer{}, Loose("rollout.jsonl", text).Tree(t))
	var words []string
	for _, m := range r.Conversations[0].Messages {
		words = append(words, m.Content.PlainText())
	}
	if got := strings.Join(words, "; "); got != "Paint the hull blue.; Make the mast red.; <verse>Roses</verse>" || r.Skipped["hidden-context"] != 5 || r.Unknown["envelope:verse"] != 1 {
		t.Errorf("%s, %v, %v", got, r.Skipped, r.Unknown)
	}
	if kept := string(r.Conversations[0].Messages[1].RawMetadata["program_text"]); !strings.Contains(kept, "hull.txt") {
		t.Error(kept)
	}
}

// TestField08PackedSessions: sessions that Codex packed are read beside plain ones, and
// have the same ids and sums as when they were plain.
func TestField08PackedSessions(t *testing.T) {
	session := func(id, words string) gen.File {
		return gen.File{Name: "rollout-2026-09-03T10-00-00-" + id + ".jsonl", Data: []byte(`{"timestamp":"2026-09-03T10:00:00Z","type":"session_meta","payload":{"id":"` + id + `","timestamp":"2026-09-03T10:00:00Z"}}` + "\n" +
			`{"timestamp":"2026-09-03T10:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"` + words + `"}]}}` + "\n")}
	}
	packed := func(f gen.File) gen.File {
		w, err := zstd.NewWriter(nil)
		if err != nil {
			t.Fatal(err)
		}
		return gen.File{Name: f.Name + ".zst", Data: w.EncodeAll(f.Data, nil)}
	}
	older, newer := session("01a00000-0000-7000-8000-00000000000a", "Name the boat."), session("01a00000-0000-7000-8000-00000000000c", "Name the dinghy.")
	plain := Read(t, codex.Importer{}, Fixture{Files: []gen.File{older, newer}}.Tree(t)).Conversations
	for _, files := range [][]gen.File{{packed(older), newer}, {packed(older), packed(newer)}} {
		tree := Fixture{Files: files}.Tree(t)
		if m, err := (codex.Importer{}).Sniff(t.Context(), tree); err != nil || m.Certainty != importer.Certain {
			t.Errorf("%+v, %v", m, err)
		}
		r := Read(t, codex.Importer{}, tree)
		for i, c := range r.Conversations {
			if c.ID != plain[i].ID || c.Sum != plain[i].Sum || c.File != plain[i].File || c.Messages[0].Content.Text != plain[i].Messages[0].Content.Text {
				t.Errorf("%+v", c)
			}
		}
		if len(r.Conversations) != 2 || len(r.Skipped) != 1 || r.Skipped["session-note"] != 2 {
			t.Errorf("%d conversations, %v", len(r.Conversations), r.Skipped)
		}
	}
}

// lines writes lines of a session, a second apart: each the kind and the payload.
func lines(pairs ...string) string {
	text := ""
	for i := 0; i < len(pairs); i += 2 {
		text += fmt.Sprintf(`{"timestamp":"2026-09-03T10:00:%02dZ","type":%q,"payload":%s}`+"\n", i/2, pairs[i], pairs[i+1])
	}
	return text
}

// words are what the messages of a conversation say: "role: words", or the call.
func words(c Conversation) string {
	var all []string
	for _, m := range c.Messages {
		text := string(m.Role) + ": " + m.Content.PlainText()
		for _, call := range m.ToolCalls {
			text = "call " + call.Name + " " + string(call.Input) + " " + call.Output
		}
		all = append(all, text)
	}
	return strings.Join(all, "; ")
}

// TestField55WhatOnlyEventsSay: what a turn says in events and in no item is read, each
// once, whichever of both comes first; repeated is what was read in the file.
func TestField55WhatOnlyEventsSay(t *testing.T) {
	const meta = `{"id":"01a00000-0000-7000-8000-00000000000a","timestamp":"2026-09-03T10:00:00Z","history_mode":"paginated"}`
	item := func(turn, item string) string {
		return `{"type":"item_completed","turn_id":"` + turn + `","item":` + item + `}`
	}
	said := func(role, text string) string {
		return `{"type":"message","role":"` + role + `","content":[{"type":"input_text","text":"` + text + `"}]}`
	}
	user := func(text string) string {
		return `{"type":"UserMessage","id":"u","content":[{"type":"text","text":"` + text + `"}]}`
	}
	agent := func(text string) string {
		return `{"type":"AgentMessage","id":"a","content":[{"type":"Text","text":"` + text + `"}],"phase":"final_answer"}`
	}
	for name, c := range map[string]struct {
		text, want string
		skipped    map[string]int
	}{
		"items of events only": {lines("session_meta", meta, "event_msg", item("t1", user("Name the boat.")), "event_msg", item("t1", `{"type":"Reasoning","id":"r","summary_text":["Birds."],"raw_content":[]}`),
			"event_msg", item("t1", `{"type":"CommandExecution","id":"c1","command":["ls"],"aggregated_output":"hull.txt","exit_code":0}`),
			"event_msg", item("t1", `{"type":"FileChange","id":"c2","changes":{"hull.txt":{"type":"add"}},"status":"completed"}`),
			"event_msg", item("t1", agent("Sea Lark.")), "event_msg", `{"type":"token_count","info":null}`, "event_msg", `{"type":"error","message":"Slow."}`),
			`user: Name the boat.; assistant: Birds.; call exec_command {"command":["ls"]} hull.txt; call apply_patch {"changes":{"hull.txt":{"type":"add"}}} ; assistant: Sea Lark.`,
			map[string]int{"session-note": 2, "notice": 1}},
		"older events only": {lines("session_meta", meta, "event_msg", `{"type":"user_message","message":"Name the boat."}`, "event_msg", `{"type":"agent_message","message":"Sea Lark."}`),
			"user: Name the boat.; assistant: Sea Lark.", map[string]int{"session-note": 1}},
		"all three": {lines("session_meta", meta, "turn_context", `{"turn_id":"t1"}`, "response_item", said("user", "Name the boat."), "event_msg", `{"type":"user_message","message":"Name the boat."}`, "event_msg", item("t1", user("Name the boat.")),
			"event_msg", `{"type":"agent_message","message":"Sea Lark."}`, "event_msg", item("t1", agent("Sea Lark.")), "response_item", said("assistant", "Sea Lark.")),
			"user: Name the boat.; assistant: Sea Lark.", map[string]int{"session-note": 2, "repeated": 4}},
		"both kinds of events": {lines("session_meta", meta, "event_msg", `{"type":"task_started","turn_id":"t1"}`, "event_msg", `{"type":"user_message","message":"Go on."}`, "event_msg", item("t1", user("Go on."))),
			"user: Go on.", map[string]int{"session-note": 2, "repeated": 1}},
		"one turn without items": {lines("session_meta", meta, "turn_context", `{"turn_id":"t1"}`, "response_item", said("user", "Go on."), "event_msg", item("t1", user("Go on.")), "response_item", said("assistant", "One."),
			"event_msg", item("t2", user("Go on.")), "event_msg", item("t2", agent("Two.")), "turn_context", `{"turn_id":"t3"}`, "response_item", said("user", "Go on."), "event_msg", item("t3", user("Go on."))),
			"user: Go on.; assistant: One.; user: Go on.; assistant: Two.; user: Go on.", map[string]int{"session-note": 3, "repeated": 2}},
		"an item before its turn is named": {lines("session_meta", meta, "response_item", said("user", "Go on."), "turn_context", `{"turn_id":"t1"}`, "event_msg", `{"type":"user_message","message":"Go on."}`),
			"user: Go on.", map[string]int{"session-note": 2, "repeated": 1}},
		"calls": {lines("session_meta", meta, "response_item", `{"type":"function_call","name":"exec_command","call_id":"c1","arguments":"{}"}`, "event_msg", `{"type":"exec_command_end","call_id":"c1","stdout":"x"}`,
			"event_msg", `{"type":"exec_command_begin","call_id":"c2"}`, "event_msg", `{"type":"exec_command_end","call_id":"c2","command":["pwd"],"stdout":"/boat"}`),
			`call exec_command "{}" ; call exec_command {"command":["pwd"]} /boat`, map[string]int{"session-note": 2, "repeated": 1}},
	} {
		r := Read(t, codex.Importer{}, Loose("rollout.jsonl", c.text).Tree(t))
		if len(r.Conversations) != 1 {
			t.Fatalf("%s: %d conversations, %v", name, len(r.Conversations), r.Skipped)
		}
		if got := words(r.Conversations[0]); got != c.want || !maps.Equal(r.Skipped, c.skipped) || len(r.Unknown) > 0 {
			t.Errorf("%s: %s, %v, %v", name, got, r.Skipped, r.Unknown)
		}
	}
	r := Read(t, codex.Importer{}, Loose("rollout.jsonl", lines("session_meta", meta, "event_msg", item("t1", user("Hi.")), "event_msg", `{"type":"quite_new","text":"x"}`, "event_msg", item("t1", `{"type":"QuiteNew"}`))).Tree(t))
	if r.Unknown["event:quite_new"] != 1 || r.Unknown["event:QuiteNew"] != 1 || !strings.Contains(string(r.Conversations[0].RawMetadata["unknown_lines"]), "QuiteNew") {
		t.Errorf("%v, %s", r.Unknown, r.Conversations[0].RawMetadata["unknown_lines"])
	}
}
