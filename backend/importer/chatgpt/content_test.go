package chatgpt_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"keepsake/backend/importer"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/memory"
)

// messageJSON is a conversation of one message with that content.
func messageJSON(author, content, metadata, more string) string {
	return fmt.Sprintf(`{"id":"c-1","conversation_id":"c-1","title":"T","create_time":1719800000,"mapping":{"m":{"id":"m","parent":null,"message":
		{"id":"m","author":%s,"create_time":1719800001.5,"content":%s,"metadata":%s%s}}}}`, author, content, metadata, more)
}

const (
	asUser      = `{"role":"user"}`
	asAssistant = `{"role":"assistant"}`
)

func say(t *testing.T, author, content, metadata, more string) (*collector, memory.Message) {
	t.Helper()
	c, d := one(t, messageJSON(author, content, metadata, more))
	return c, d.Messages[0]
}

// TestCase10EveryContentTypeIsReadFromItsOwnField: a reader of parts alone
// finds code, thoughts and custom instructions empty.
func TestCase10EveryContentTypeIsReadFromItsOwnField(t *testing.T) {
	for _, c := range []struct{ content, want, kind string }{
		{`{"content_type":"text","parts":["a","b"]}`, "a\nb", "text"},
		{`{"content_type":"text","parts":["a",null,{"content_type":"audio_transcription","text":"spoken","direction":"in"},"b"]}`, "a\nspoken\nb", "text"},
		{`{"content_type":"text","parts":[{"x":1}]}`, "", ""},
		{`{"content_type":"code","language":"python","text":"print(1)"}`, "print(1)", "multipart"},
		{`{"content_type":"execution_output","text":"1\n"}`, "1\n", "text"},
		{`{"content_type":"thoughts","thoughts":[{"summary":"Plan","content":"First this.","chunks":[],"finished":true},{"summary":"","content":"Then that."}],"source_analysis_msg_id":"x"}`, "Plan\nFirst this.\nThen that.", "text"},
		{`{"content_type":"reasoning_recap","content":"Thought for 12s"}`, "Thought for 12s", "text"},
		{`{"content_type":"tether_quote","url":"https://example.com/a","domain":"example.com","title":"A page","text":"quoted"}`, "quoted", "text"},
		{`{"content_type":"sonic_webpage","url":"https://example.com/b","title":"B","text":"page","snippet":"s"}`, "page", "text"},
		{`{"content_type":"tether_browsing_display","result":"found","summary":null}`, "found", "text"},
		{`{"content_type":"system_error","name":"Timeout","text":"too long"}`, "Timeout: too long", "text"},
		{`{"content_type":"user_editable_context","user_profile":"Preferred name: Ana","user_instructions":"Be brief."}`, "Preferred name: Ana\nBe brief.", "text"},
		{`{"content_type":"model_editable_context","model_set_context":"1. [2024-05-01]. Lives in Lisbon."}`, "1. [2024-05-01]. Lives in Lisbon.", "text"},
		{`{"content_type":"super_widget","text":"as far as it goes","x":{"y":1}}`, "as far as it goes", "text"},
		{`{"content_type":"computer_output","screenshot":{"a":1}}`, "", ""},
	} {
		_, m := say(t, `{"role":"tool","name":"t"}`, c.content, "{}", "")
		kind := ""
		if m.Content != nil {
			kind = m.Content.Type
		}
		if got := strings.ReplaceAll(m.Content.PlainText(), "\n\n", "\n"); got != c.want || kind != c.kind {
			t.Errorf("%s: %s %q", c.content, kind, got)
		}
	}
}

// TestCase11PartsOfEveryKind: null, objects and transcriptions between strings;
// no object is ever shown as the text of itself, and what is not text is kept.
func TestCase11PartsOfEveryKind(t *testing.T) {
	for parts, want := range map[string]string{
		`[null]`:                   "",
		`["a",null,"","b"]`:        "a\nb",
		`[{"x":1},"b",[2],3,true]`: "b",
		`["a",{"content_type":"audio_transcription","text":"spoken","direction":"in","decoding_id":null}]`: "a\nspoken",
		`[{"content_type":"audio_transcription","text":null,"direction":"out"}]`:                           "",
		`[{"content_type":"text_like","text":"new words"}]`:                                                "new words",
		`{"0":"an object"}`: "",
	} {
		for _, kind := range []string{"text", "multimodal_text"} {
			content := `{"content_type":"` + kind + `","parts":` + parts + `}`
			_, m := say(t, asUser, content, "{}", "")
			if got := m.Content.PlainText(); got != want {
				t.Errorf("%s: %q, want %q", content, got, want)
			}
			if string(m.RawMetadata["content"]) != content {
				t.Errorf("%s: kept as %s", content, m.RawMetadata["content"])
			}
		}
	}
}

func TestThoughtsAreMarked(t *testing.T) {
	for _, content := range []string{`{"content_type":"thoughts","thoughts":[{"summary":"s","content":"c"}]}`, `{"content_type":"reasoning_recap","content":"Thought for 1s"}`} {
		if _, m := say(t, asAssistant, content, "{}", ""); !m.IsThought {
			t.Errorf("%s is not marked", content)
		}
	}
	if _, m := say(t, asAssistant, `{"content_type":"text","parts":["x"]}`, "{}", ""); m.IsThought {
		t.Error("plain text is marked as a thought")
	}
}

// TestUnknownContentIsCountedAndKept, roles and parts too.
func TestUnknownContentIsCountedAndKept(t *testing.T) {
	content := `{"content_type":"super_widget","x":{"y":[1,2]}}`
	c, m := say(t, `{"role":"critic"}`, content, "{}", "")
	if c.unknown["content_type:super_widget"] != 1 || c.unknown["role:critic"] != 1 || string(m.RawMetadata["content"]) != content {
		t.Errorf("unknown %v, raw %s", c.unknown, m.RawMetadata["content"])
	}
	c, m = say(t, asUser, `{"content_type":"multimodal_text","parts":[{"content_type":"hologram","depth":3}]}`, "{}", "")
	if c.unknown["part:hologram"] != 1 || m.RawMetadata["content"] == nil {
		t.Errorf("unknown %v", c.unknown)
	}
}

// TestToolCalls: recipient other than all; the graph keeps call and answer.
func TestToolCalls(t *testing.T) {
	for _, c := range []struct{ content, recipient, input string }{
		{`{"content_type":"code","language":"unknown","text":"{\"comments\":[{\"pattern\":\"x\",\"comment\":\"y\"}]}"}`, "canmore.comment_textdoc", `{"comments":[{"pattern":"x","comment":"y"}]}`},
		{`{"content_type":"code","language":"unknown","text":"{\"updates\":[{\"pattern\":\"x\",\"multiple\":false,\"replacement\":\"y\"}]}"}`, "canmore.update_textdoc", `{"updates":[{"pattern":"x","multiple":false,"replacement":"y"}]}`},
		{`{"content_type":"code","language":"python","text":"print(1)"}`, "python", `"print(1)"`},
		{`{"content_type":"text","parts":["search me"]}`, "web.search", `"search me"`},
		{`{"content_type":"text","parts":["{broken"]}`, "web.run", `"{broken"`},
	} {
		_, m := say(t, asAssistant, c.content, `{"model_slug":"gpt-4o"}`, fmt.Sprintf(`,"recipient":%q`, c.recipient))
		if len(m.ToolCalls) != 1 || m.ToolCalls[0].Name != c.recipient || string(m.ToolCalls[0].Input) != c.input || m.Content != nil {
			t.Errorf("%s: %+v, content %+v", c.recipient, m.ToolCalls, m.Content)
		}
		if m.Model != "gpt-4o" || string(m.RawMetadata["recipient"]) != fmt.Sprintf("%q", c.recipient) {
			t.Errorf("model %q, raw %v", m.Model, m.RawMetadata)
		}
	}
	if _, m := say(t, asAssistant, `{"content_type":"text","parts":["x"]}`, "{}", `,"recipient":"all"`); m.ToolCalls != nil {
		t.Errorf("recipient all is a tool call: %+v", m.ToolCalls)
	}
}

// TestCanvas: each whole version of a document is shown where it was written,
// the call keeps the rest, and nothing of it is lost.
func TestCanvas(t *testing.T) {
	for _, c := range []struct{ tool, call, shown, language, left string }{
		{"create_textdoc", `{"name":"plan","type":"document","content":"# Plan"}`, "# Plan", "markdown", `{"name":"plan","type":"document"}`},
		{"create_textdoc", `{"name":"sum","type":"code/python","content":"1+1"}`, "1+1", "python", `{"name":"sum","type":"code/python"}`},
		{"update_textdoc", `{"updates":[{"pattern":".*","multiple":true,"replacement":"# Plan 2"}]}`, "# Plan 2", "", ""},
		{"create_textdoc", `{"name":"empty","type":"document","content":" "}`, "", "", `{"name":"empty","type":"document","content":" "}`},
	} {
		quoted, err := json.Marshal(c.call)
		if err != nil {
			t.Fatal(err)
		}
		content := `{"content_type":"code","language":"json","text":` + string(quoted) + `}`
		_, m := say(t, asAssistant, content, "{}", `,"recipient":"canmore.`+c.tool+`"`)
		if got := m.Content.PlainText(); got != c.shown || c.shown != "" && m.Content.Parts[0].Language != c.language {
			t.Errorf("%s: shown %q", c.call, got)
		}
		if string(m.ToolCalls[0].Input) != c.left || string(m.RawMetadata["content"]) != content {
			t.Errorf("%s: call %s, kept %s", c.call, m.ToolCalls[0].Input, m.RawMetadata["content"])
		}
	}
}

// TestCanvasEdits: an edit that can mean one thing gives the next version of its
// branch; any other is counted, and stays in its call.
func TestCanvasEdits(t *testing.T) {
	node := func(id, parent, tool, call string) string {
		return fmt.Sprintf(`%q:{"id":%q,"parent":%q,"children":[],"message":{"id":%q,"author":{"role":"assistant"},"recipient":"canmore.%s","content":{"content_type":"code","language":"json","text":%q}}}`,
			id, id, parent, id, tool, call)
	}
	update := func(pattern, replacement, more string) string {
		return fmt.Sprintf(`{"updates":[{"pattern":%q,"replacement":%q%s}]}`, pattern, replacement, more)
	}
	talk := `[{"id":"c-1","conversation_id":"c-1","create_time":1,"current_node":"e","mapping":{` + strings.Join([]string{
		node("a", "", "create_textdoc", `{"name":"plan","type":"document","content":"# Plan, walk, rest"}`),
		node("b", "a", "update_textdoc", update("walk", "run", "")),
		node("c", "b", "update_textdoc", update("rest", "sleep", `,"multiple":false`)),
		node("d", "a", "update_textdoc", update("walk", "swim", "")), // another branch
		node("e", "c", "update_textdoc", update("[a-z]+", "x", "")),
		node("f", "c", "update_textdoc", update("walk", "x", "")), // not there any more
		node("g", "c", "update_textdoc", update("run", "x", `,"multiple":true`)),
		node("h", "", "update_textdoc", update("run", "x", "")), // of no document
	}, ",") + `}}]`
	c := read(t, "export.zip", zipOf("conversations.json", talk))
	got := map[string]string{}
	for _, m := range c.conversations[0].Messages {
		got[m.ID] = m.Content.PlainText()
		if m.ID != "a" && !strings.Contains(string(m.ToolCalls[0].Input), "updates") {
			t.Errorf("%s: call %s", m.ID, m.ToolCalls[0].Input)
		}
	}
	want := map[string]string{"a": "# Plan, walk, rest", "b": "# Plan, run, rest", "c": "# Plan, run, sleep", "d": "# Plan, swim, rest", "e": "", "f": "", "g": "", "h": ""}
	if !maps.Equal(got, want) || c.unknown["edit:canvas"] != 4 {
		t.Errorf("%v, unknown %v", got, c.unknown)
	}
}

// TestAFileOfACanvas: textdocs/<id>.json belongs to the message that names it;
// one that the export does not hold is not missing, for most exports hold none.
func TestAFileOfACanvas(t *testing.T) {
	talk := "[" + messageJSON(`{"role":"tool","name":"canmore.create_textdoc"}`, `{"content_type":"text","parts":["Done."]}`, `{"canvas":{"textdoc_id":"68aa-1","version":2,"title":"plan"}}`, "") + "]"
	c := read(t, "export.zip", zipOf("conversations.json", talk, "textdocs/68aa-1.json", `{"content":"# Plan"}`, "textdocs/other.json", `{}`))
	if a := c.conversations[0].Messages[0].Attachments; len(a) != 1 || string(c.files[a[0].Ref]) != `{"content":"# Plan"}` {
		t.Errorf("attachments %+v", a)
	}
	if c = read(t, "export.zip", zipOf("conversations.json", talk)); len(c.missing) != 0 {
		t.Errorf("missing %v", c.missing)
	}
}

// TestAnswersNameTheirCall, through further answers, and nobody else does.
func TestAnswersNameTheirCall(t *testing.T) {
	node := func(id, parent, author, more string) string {
		return fmt.Sprintf(`%q:{"id":%q,"parent":%q,"message":{"id":%q,"author":%s,"create_time":1719800001,"content":{"content_type":"text","parts":["x"]}%s}}`, id, id, parent, id, author, more)
	}
	const asTool = `{"role":"tool","name":"web"}`
	_, d := one(t, talkJSON(`"e"`, node("t", "", asTool, ""), node("a", "t", asAssistant, `,"recipient":"web.run"`), node("b", "a", asTool, ""), node("c", "b", asTool, ""),
		node("d", "c", asAssistant, ""), node("e", "d", asTool, "")))
	var got []string
	for _, m := range d.Messages {
		for _, call := range m.ToolCalls {
			got = append(got, m.ID+" "+call.ID+" "+call.Name)
		}
	}
	if want := []string{"a a web.run", "b a web.run", "c a web.run"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestRemarks: ratings stand with their message, links with their conversation,
// as they are; times in them are of another form than elsewhere. What is about
// other conversations is counted.
func TestRemarks(t *testing.T) {
	const (
		up    = `{"id":"m","conversation_id":"c-1","rating":"thumbsUp","create_time":"2024-07-02T10:00:00.000000Z"}`
		down  = `{"message_id":"gone","conversation_id":"c-1","rating":"thumbsDown"}`
		link  = `{"id":"s","conversation_id":"c-1","title":"T","is_anonymous":true}`
		other = `{"id":"s2","conversation_id":"c-9"}`
	)
	c := read(t, "export.zip", zipOf("conversations.json", "["+messageJSON(asUser, `{"content_type":"text","parts":["x"]}`, "{}", "")+"]",
		"message_feedback.json", "["+up+","+down+",7]", "shared_conversations.json", "["+link+","+other+"]"))
	d := c.conversations[0]
	if got := string(d.Messages[0].RawMetadata["message_feedback"]); got != "["+up+"]" {
		t.Errorf("message: %s", got)
	}
	if string(d.RawMetadata["message_feedback"]) != "["+down+"]" || string(d.RawMetadata["shared_conversations"]) != "["+link+"]" {
		t.Errorf("conversation: %s", d.RawMetadata)
	}
	if c.skipped["of-other-conversations"] != 1 || c.unknown["record:message_feedback"] != 1 || len(c.problems) != 0 {
		t.Errorf("skipped %v, unknown %v, problems %v", c.skipped, c.unknown, c.problems)
	}
}

// TestAsides: what stands beside the conversations and is of none of them is
// counted row by row, however it is laid out.
func TestAsides(t *testing.T) {
	c := read(t, "export.zip", zipOf("conversations.json", "["+messageJSON(asUser, `{"content_type":"text","parts":["x"]}`, "{}", "")+"]",
		"group_chats.json", `{"chats":[{"id":"a"},{"id":"b"}],"cursor":null}`, "shopping.json", `[{"query":"socks"},7]`,
		"sora.json", "\ufeff{\"name\":\"x\",\"generations\":[1,2]}", "tool_messages.json", `[]`, "ads.json", `{}`,
		"model_comparisons.json", `[{"id":"1","conversation_id":"c-1"},{"id":"2"}]`))
	want := map[string]int{"record:group_chats": 2, "record:shopping": 2, "record:sora": 3, "record:model_comparisons": 1}
	if !maps.Equal(c.unknown, want) || len(c.problems) != 0 || len(c.skipped) != 0 {
		t.Errorf("unknown %v, problems %v, skipped %v", c.unknown, c.problems, c.skipped)
	}
	if got := string(c.conversations[0].RawMetadata["model_comparisons"]); got != `[{"id":"1","conversation_id":"c-1"}]` {
		t.Errorf("conversation: %s", got)
	}
}

// TestCase19PrivateMarks: case 19, taken out of what is shown, kept raw.
func TestCase19PrivateMarks(t *testing.T) {
	const cite = "\ue200cite\ue202turn0search0\ue202turn0search1\ue201"
	for said, want := range map[string]string{
		"It rains" + cite + ".":                                 "It rains.",
		"A" + cite + " B" + cite + " C":                         "A B C",
		"open \ue200cite\ue202turn0":                            "open cite" + "turn0",
		"a \ue203marked words\ue204 b":                          "a marked words b",
		"two \ue200x \ue200cite\ue202y\ue201 z":                 "two x  z",
		"file【4†source】 and 【12:0†a.pdf】":                       "file and ",
		":::writing{variant=\"email\" id=\"1\"}\nDear\n:::\nok": "Dear\nok",
		"products{\"selections\":[1]}\nthen":                    "then",
		"【no mark】 ::: products {}":                             "【no mark】 ::: products {}",
		"sandbox:/mnt/data/a.csv stays":                         "sandbox:/mnt/data/a.csv stays",
	} {
		quoted, err := json.Marshal(said)
		if err != nil {
			t.Fatal(err)
		}
		content := `{"content_type":"text","parts":[` + string(quoted) + `]}`
		_, m := say(t, asAssistant, content, "{}", "")
		if got := m.Content.PlainText(); got != want {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
		if kept := m.RawMetadata["content"]; (said != want) != (string(kept) == content) {
			t.Errorf("%q: raw %s", said, kept)
		}
	}
}

// TestLinkLabelsOfToolsStay: a page that a tool gives names its links as answers name their
// notes.
func TestLinkLabelsOfToolsStay(t *testing.T) {
	const content = `{"content_type":"text","parts":["【18† Cars 】 \ue200cite\ue202turn0\ue201"]}`
	if _, m := say(t, `{"role":"tool","name":"web"}`, content, "{}", ""); m.Content.Text != "【18† Cars 】 " || string(m.RawMetadata["content"]) != content {
		t.Errorf("%+v", m)
	}
	if _, m := say(t, asAssistant, content, "{}", ""); strings.TrimSpace(m.Content.PlainText()) != "" {
		t.Errorf("%+v", m)
	}
}

// TestCase19Citations come from both places, each address once; marks are replaced
// by what the provider says; offsets, of whatever unit, play no part.
func TestCase19Citations(t *testing.T) {
	const mark = "\ue200cite\ue202turn0search0\ue201"
	meta := fmt.Sprintf(`{"citations":[{"start_ix":900,"end_ix":1,"metadata":{"type":"webpage","title":"One","url":"https://one.example/a","text":"snip"}}],
		"content_references":[{"matched_text":%q,"start_idx":99999,"end_idx":3,"alt":"([Two](https://two.example))","type":"grouped_webpages",
		"items":[{"title":"Two","url":"https://two.example","snippet":"s"}],"fallback_items":[{"title":"One again","url":"https://one.example/a"}]},
		{"matched_text":" ","alt":"","type":"sources_footnote","sources":[{"title":"Three","url":"https://three.example"}]},
		{"type":"file","title":"bad","url":"javascript:alert(1)"}]}`, mark)
	_, m := say(t, asAssistant, fmt.Sprintf(`{"content_type":"text","parts":[%q]}`, "It rains"+mark+" today"), meta, "")
	want := []memory.Citation{
		{Title: "One", URL: "https://one.example/a", Snippet: "snip"}, {Title: "Two", URL: "https://two.example", Snippet: "s"},
		{Title: "Three", URL: "https://three.example"}, {Title: "bad"},
	}
	if !slices.Equal(m.Citations, want) {
		t.Errorf("citations %+v", m.Citations)
	}
	if got := m.Content.PlainText(); got != "It rains([Two](https://two.example)) today" {
		t.Errorf("text %q", got)
	}
}

// TestNothingIsLost adds up every member of generated exports: each is
// translated or kept verbatim in raw_metadata.
func TestNothingIsLost(t *testing.T) {
	conversation := []string{"id", "conversation_id", "title", "mapping", "create_time", "update_time", "current_node", "default_model_slug", "is_archived", "is_do_not_remember"}
	message := []string{"id", "create_time", "author", "content", "metadata"}
	for _, era := range []gen.Era{gen.Single, gen.Slim} {
		files, _ := gen.ChatGPTFiles(gen.ChatGPTOptions{Seed: 5, Era: era})
		var talks []map[string]json.RawMessage
		if err := json.Unmarshal(files[0].Data, &talks); err != nil {
			t.Fatal(err)
		}
		c := read(t, "export.zip", gen.Zip(files))
		for i, talk := range talks {
			checkKept(t, talk, c.conversations[i].RawMetadata, conversation)
			var nodes map[string]struct{ Message map[string]json.RawMessage }
			if err := json.Unmarshal(talk["mapping"], &nodes); err != nil {
				t.Fatal(err)
			}
			for _, m := range c.conversations[i].Messages {
				checkKept(t, nodes[m.ID].Message, m.RawMetadata, message)
				checkContent(t, nodes[m.ID].Message, m)
			}
		}
	}
}

func checkKept(t *testing.T, wire map[string]json.RawMessage, raw memory.RawMetadata, translated []string) {
	t.Helper()
	for name, value := range wire {
		if slices.Contains(translated, name) {
			continue
		}
		if string(raw[name]) != string(value) {
			t.Errorf("%s %s: kept as %s", name, value, raw[name])
		}
	}
}

// checkContent: metadata and content are kept unless the translation says the
// same again.
func checkContent(t *testing.T, wire map[string]json.RawMessage, m memory.Message) {
	t.Helper()
	if meta := string(wire["metadata"]); len(meta) > 2 && string(m.RawMetadata["metadata"]) != meta {
		t.Errorf("metadata %s: kept as %s", meta, m.RawMetadata["metadata"])
	}
	content := string(wire["content"])
	if content == "" || string(m.RawMetadata["content"]) == content {
		return
	}
	said := m.Content.PlainText()
	if len(m.ToolCalls) > 0 && m.Role == memory.Assistant {
		said = string(m.ToolCalls[0].Input)
		if err := json.Unmarshal(m.ToolCalls[0].Input, &said); err != nil {
			t.Error(err)
		}
	}
	quoted, err := json.Marshal(said)
	if err != nil {
		t.Fatal(err)
	}
	if content != `{"content_type":"text","parts":[`+string(quoted)+`]}` && content != `{"content_type":"code","language":"unknown","text":`+string(quoted)+`}` {
		t.Errorf("content %s: not kept, translated as %q", content, said)
	}
}

var _ importer.Sink = (*collector)(nil)
