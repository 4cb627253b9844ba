package openwebui_test

import (
	"encoding/base64"
	"strings"
	"testing"

	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/importer/openwebui"
)

// TestOutput: the newest versions leave the content empty.
func TestOutput(t *testing.T) {
	r := Read(t, openwebui.Importer{}, Loose("chat.json", `{"id":"c","history":{"currentId":"a","messages":{"a":{"id":"a","role":"assistant","content":"",
		"output":[{"type":"reasoning","summary":[{"type":"summary_text","text":"Hm."}]},{"type":"message","content":[{"type":"output_text","text":"Tea."}]}]}}}}`).Tree(t))
	c := r.Conversations[0]
	if c.Message("a").Content.Text != "Tea." || c.Message("a#1").Content.Text != "Hm." || c.Message("a").RawMetadata["output"] == nil {
		t.Errorf("%+v", c.Messages)
	}
}

// TestForeignF06ThoughtsAndCallsOfTheOutput: newer messages hold thoughts and calls once
// more, in full; what the blocks of the text say is a picture of them.
func TestForeignF06ThoughtsAndCallsOfTheOutput(t *testing.T) {
	r := Read(t, openwebui.Importer{}, Loose("chat.json", `{"id":"c","history":{"currentId":"a","messages":{"a":{"id":"a","role":"assistant",
		"content":"<details type=\"reasoning\" done=\"true\"><summary>Thought</summary>\n> Short.\n</details>\n<details type=\"tool_calls\" done=\"true\"><summary>Executed</summary>\n</details>\nSunny.",
		"output":[{"type":"reasoning","content":[{"type":"output_text","text":"I ask for the weather."}],"summary":[{"type":"summary_text","text":"Short."}]},
		{"type":"function_call","id":"fc","call_id":"call","name":"get_weather","arguments":"{\"city\":\"Lisbon\"}"},
		{"type":"function_call_output","call_id":"call","output":[{"type":"input_text","text":"sunny"}]},
		{"type":"function_call","call_id":"two","name":"note","arguments":"plain"},{"type":"function_call_output","call_id":"none","output":"x"},
		{"type":"message","content":[{"type":"output_text","text":"Sunny."}]},{"type":"hologram"}]}}}}`).Tree(t))
	c := r.Conversations[0]
	a, thought := c.Message("a"), c.Message("a#1")
	if thought == nil || thought.Content.Text != "I ask for the weather." || a.Content.Text != "Sunny." || len(a.ToolCalls) != 2 || a.RawMetadata["output"] == nil {
		t.Fatalf("%+v", c.Messages)
	}
	if call := a.ToolCalls[0]; call.ID != "call" || call.Name != "get_weather" || string(call.Input) != `{"city":"Lisbon"}` || call.Output != "sunny" || string(a.ToolCalls[1].Input) != `"plain"` {
		t.Errorf("%+v", a.ToolCalls)
	}
	if r.Unknown["output:hologram"] != 1 || r.Unknown["output:result-of-no-call"] != 1 {
		t.Errorf("%v", r.Unknown)
	}
}

// TestCase42UnitsImagesAndHistory is §13.42: seconds and milliseconds in one record, images of many
// megabytes inside of it, a history that differs from messages.
func TestCase42UnitsImagesAndHistory(t *testing.T) {
	l := gen.OpenWebUI()[0]
	r := Read(t, openwebui.Importer{}, LayerFixture(l, CutJSON).Tree(t))
	c := r.Conversations[0]
	if got := c.Temporal.CreatedAt.String(); got != "2025-04-13T20:52:37Z" {
		t.Errorf("created %s", got)
	}
	if c.Message("gone") != nil || r.Skipped["not-in-history"] != 1 || c.Leaf != "c" {
		t.Errorf("what is on the path only: %v, leaf %s", r.Skipped, c.Leaf)
	}
	if q := c.Message("a"); len(q.ChildrenIDs) != 2 || q.Content.Text != "What is this? ![it](image-1.png)" || len(q.Attachments) != 1 {
		t.Errorf("the question: %+v", q)
	}
	if a := c.Message("c"); a.Content.Text != "A teapot." || a.ParentID != "c#1" || c.Message("c#1").Content.Text != "Tea <or> coffee?" {
		t.Errorf("the answer: %+v", a)
	}
	big := "data:image/png;base64," + base64.StdEncoding.EncodeToString(make([]byte, 6<<20))
	text := strings.Replace(string(l.Files[0].Data), gen.Picture, big, 1)
	r = Read(t, openwebui.Importer{}, Loose("chats.json", text).Tree(t))
	if len(r.Attachments) != 1 || len(r.Attachments[0].Data) != 6<<20 {
		t.Errorf("%d attachments", len(r.Attachments))
	}
}
