package chatgpt_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"keepsake/backend/importer"
	"keepsake/backend/importer/chatgpt"
	"keepsake/backend/memory"
)

// saidBy is a node with a message of that author and text, metadata and all.
func saidBy(id, parent, author, text, metadata string) string {
	quoted, _ := json.Marshal(text)
	return fmt.Sprintf(`%q:{"id":%q,"parent":%q,"message":{"id":%q,"author":{"role":%q},"create_time":1780000000,"content":{"content_type":"text","parts":[%s]},"metadata":%s}}`,
		id, id, parent, id, author, quoted, metadata)
}

// widget is the state of a widget with a report, once more as the JSON of itself.
func widget(report string) (object, quoted string) {
	object = `{"status":"completed","report_message":{"id":"rep","author":{"role":"assistant"},"content":{"content_type":"text","parts":["` + report + `"]},
		"metadata":{"model_slug":"deep","content_references":[{"matched_text":"[1]","type":"webpage","items":[{"url":"https://example.org/heat","title":"Heat"}]}]}}}`
	text, _ := json.Marshal(object)
	return object, string(text)
}

// shownReports are the messages of a conversation that show it: "id role", with what of
// them is hidden.
func shownReports(d importer.ConversationDraft, report string) string {
	var all []string
	for _, m := range d.Messages {
		if n := strings.Count(m.Content.PlainText(), report); n > 0 {
			all = append(all, fmt.Sprintf("%s %s%s", m.ID, m.Role, m.RawMetadata["keepsake_hidden"]))
			if n > 1 || len(m.Citations) != 1 || m.Citations[0].URL != "https://example.org/heat" {
				all = append(all, fmt.Sprint(n, m.Citations))
			}
		}
	}
	return strings.Join(all, ", ")
}

// TestField36WidgetReport: the report of deep research stands in the state of a widget,
// beside a text that is empty or that repeats the state for the model.
func TestField36WidgetReport(t *testing.T) {
	const report = "Heat pumps move heat [1]."
	object, quoted := widget(report)
	question := saidBy("q", "r", "user", "Research heat pumps.", "{}")
	hidden := `"is_visually_hidden_from_conversation":true`
	state := "The latest state of the widget is: " + object
	for name, c := range map[string]struct{ nodes, want string }{
		"object":           {saidBy("a", "q", "assistant", "", `{"chatgpt_sdk":{"widget_state":`+object+`}}`), "a assistant"},
		"text":             {saidBy("a", "q", "assistant", "", `{"chatgpt_sdk":{"widget_state":`+quoted+`}}`), "a assistant"},
		"of the tool":      {saidBy("a", "q", "assistant", "", `{"chatgpt_sdk":{"tool_response_metadata":{"venus_widget_state":`+quoted+`}}}`), "a assistant"},
		"beside":           {saidBy("a", "q", "assistant", "", `{"venus_widget_state":`+object+`}`), "a assistant"},
		"for the model":    {saidBy("a", "q", "tool", state, `{`+hidden+`}`), "a assistant"},
		"both":             {saidBy("a", "q", "tool", state, `{`+hidden+`,"chatgpt_sdk":{"widget_state":`+quoted+`}}`) + "," + saidBy("b", "a", "assistant", "", `{"chatgpt_sdk":{"widget_state":`+quoted+`}}`), "b assistant"},
		"before":           {saidBy("a", "q", "assistant", "", `{"chatgpt_sdk":{"widget_state":`+quoted+`}}`) + "," + saidBy("b", "a", "tool", state, `{`+hidden+`}`), "a assistant"},
		"behind words":     {saidBy("a", "q", "assistant", "Done.", `{"chatgpt_sdk":{"widget_state":`+quoted+`}}`), "a assistant"},
		"in the text, too": {saidBy("a", "q", "assistant", report, `{"chatgpt_sdk":{"widget_state":`+quoted+`}}`), "a assistant"},
		"states of a tool": {saidBy("a", "q", "tool", state, `{`+hidden+`}`) + "," + saidBy("b", "a", "tool", state+"\n", `{`+hidden+`}`), "b assistant"},
		"in both branches": {saidBy("a", "q", "tool", state, `{`+hidden+`}`) + "," + saidBy("b", "q", "assistant", "", `{"chatgpt_sdk":{"widget_state":`+object+`}}`), "a assistant, b assistant"},
	} {
		_, d := one(t, talkJSON(`"a"`, `"r":{"id":"r","message":null,"parent":null}`, question, c.nodes))
		if got := shownReports(d, report); got != c.want {
			t.Errorf("%s: shown by %s, want %s", name, got, c.want)
		}
		checkGraph(t, d)
	}

	// The assistant wrote the report itself: the state is a copy of it.
	_, d := one(t, talkJSON(`"a"`, `"r":{"id":"r","message":null,"parent":null}`, question,
		saidBy("a", "q", "tool", state, `{`+hidden+`}`), saidBy("b", "a", "assistant", report, "{}")))
	if m := d.Messages[2]; m.Role != memory.Tool || m.Content != nil || m.RawMetadata["content"] == nil {
		t.Errorf("the copy: %+v", m)
	}
	// A state that broke off is counted, and stays as it is; so does one without a report.
	c, d := one(t, talkJSON(`"a"`, `"r":{"id":"r","message":null,"parent":null}`, question,
		saidBy("a", "q", "tool", state[:200], `{}`), saidBy("b", "a", "tool", `The latest state of the widget is: {"status":"started"}`, `{}`)))
	if c.unknown["widget:report_message"] != 1 || d.Messages[2].Content.Text != state[:200] || d.Messages[3].Role != memory.Tool || d.Messages[3].Content == nil {
		t.Errorf("unknown %v, %+v", c.unknown, d.Messages[2:])
	}
	// Words of a person are theirs.
	_, d = one(t, talkJSON(`"a"`, saidBy("a", "r", "user", state, "{}")))
	if m := d.Messages[0]; m.Role != memory.User || m.Content.Text != state {
		t.Errorf("%+v", m)
	}
}

// TestField34RenamedShards: a browser puts a number behind a name that is taken; the part
// that lies between two others is missing all the same, and one that is there is not.
func TestField34RenamedShards(t *testing.T) {
	for _, name := range []string{"conversations-000 (1).json", "conversations-000(1).json", "conversations-000-2.json", "conversations-000 2.json", "conversations-000 copy.json", "conversations-000 - Kopie.json"} {
		c := read(t, "export.zip", zipOf(name, talks("a"), "conversations-002.json", talks("b")))
		if len(c.conversations) != 2 || len(c.problems) != 1 || c.problems[0].Fault.Reason != "shard-gap" || c.problems[0].Path != "conversations-001.json" {
			t.Errorf("%s: %d conversations, %v", name, len(c.conversations), c.problems)
		}
		listed := read(t, "export.zip", zipOf(name, talks("a"), "export_manifest.json", `{"logical_files":{"conversations.json":{"files":["conversations-000.json"]}}}`))
		if len(listed.conversations) != 1 || len(listed.problems) > 0 {
			t.Errorf("%s is listed under its first name: %v", name, listed.problems)
		}
	}
	single := read(t, "export.zip", zipOf("conversations (2).json", talks("a"), "export_manifest.json", `{"logical_files":{"conversations.json":{"files":["conversations.json"]}}}`))
	if len(single.conversations) != 1 || len(single.problems) > 0 {
		t.Errorf("a single file: %v", single.problems)
	}
}

// pageOf is chat.html with these conversations in its script.
func pageOf(conversations []byte) []byte {
	return []byte("<html>\n<head>\n<title>ChatGPT Data Export</title>\n<style>a{}</style>\n<script>\nvar jsonData = " + string(conversations) +
		";\nvar assetsJson = {};\nfunction show() { return []; }\n</script>\n</head>\n<body></body>\n</html>\n")
}

// TestField58PageAlone: chat.html repeats the conversations of the JSON files. It is read
// where these are missing, and the report asks for them.
func TestField58PageAlone(t *testing.T) {
	said := `[` + talkJSON(`"a"`, nodeJSON("a", "", `A ] in "quotes" \\ and } </script`, at0)) + `]`
	c := read(t, "chat.html", pageOf([]byte(said)))
	if len(c.conversations) != 1 || c.conversations[0].Provider.ExportFormatVersion != "page" || len(c.problems) != 1 || c.problems[0].Fault.Reason != "page-alone" {
		t.Fatalf("%+v, %v", c.conversations, c.problems)
	}
	if got := c.conversations[0].Messages[0].Content.Text; got != `A ] in "quotes" \\ and } </script` {
		t.Errorf("%q", got)
	}
	c = read(t, "export.zip", zipOf("chat.html", string(pageOf([]byte(said))), "conversations.json", talks("b")))
	if len(c.conversations) != 1 || c.conversations[0].Provider.ConversationID != "b" || len(c.problems) > 0 || len(c.skipped) > 0 {
		t.Errorf("beside JSON: %+v, %v, %v", c.conversations, c.problems, c.skipped)
	}
	whole := pageOf([]byte(said))
	if err := (chatgpt.Importer{}).Read(t.Context(), open(t, "chat.html", whole[:bytes.Index(whole, []byte("assetsJson"))-10]), newCollector()); err == nil {
		t.Error("a page that breaks off is read without a word")
	}
	for _, page := range []string{"<html><head><title>ChatGPT Data Export</title></head><body></body></html>", string(pageOf([]byte("load()")))} {
		m, err := chatgpt.Importer{}.Sniff(t.Context(), open(t, "chat.html", []byte(page)))
		if err != nil || m.Advice == nil || m.Advice.Reason != "page-without-conversations" {
			t.Errorf("%+v, %v", m, err)
		}
	}
}
