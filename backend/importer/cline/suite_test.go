package cline_test

import (
	"strings"
	"testing"

	"keepsake/backend/importer/cline"
	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/memory"
)

// TestSuite holds the reader to what all readers promise.
func TestSuite(t *testing.T) { RunLayers(t, cline.Importer{}, CutJSON, gen.Cline()) }

// TestKeysStayOut: keys that lie in the same folder are not read.
func TestKeysStayOut(t *testing.T) { CheckSecret(t, cline.Importer{}, gen.Cline(), gen.ClineSecret) }

// TestWhoSpeaks: what the person said is theirs in both files, and nothing that the
// program added.
func TestWhoSpeaks(t *testing.T) {
	for _, c := range []struct{ name, text, person, assistant string }{
		{"ui_messages.json", `[{"ts":1763727100000,"type":"say","say":"text","text":"Mend it"},{"ts":1763727101000,"type":"say","say":"text","text":"Done."}]`, "Mend it", "Done."},
		{"ui_messages.json", `[{"ts":1763727100000,"type":"say","say":"task","text":"Mend it"},{"ts":1763727101000,"type":"ask","ask":"plan_mode_respond","text":"{\"response\":\"Done.\",\"options\":[]}"}]`, "Mend it", "Done."},
		{"api_conversation_history.json", `[{"role":"user","content":"<task>\nMend it\n</task>\n\n<environment_details>\nx\n</environment_details>"},{"role":"assistant","content":"Done."}]`, "Mend it", "Done."},
		{"api_conversation_history.json", `[{"role":"user","content":[{"type":"text","text":"[attempt_completion] Result:\nx"},{"type":"text","text":"[ask_followup_question for 'x'] Result:\n<user_message>\nMend it\n</user_message>"}]},{"role":"assistant","content":"Done."}]`, "Mend it", "Done."},
		{"api_conversation_history.json", `[{"role":"user","content":[{"type":"text","text":"[a] Result: is what I see"}]},{"role":"assistant","content":"Done."}]`, "", "Done."},
		{"api_conversation_history.json", `[{"role":"user","content":"[see this] Result: is wrong"},{"role":"assistant","content":"Done."}]`, "[see this] Result: is wrong", "Done."},
	} {
		r := Read(t, cline.Importer{}, Loose(c.name, c.text).Tree(t))
		said := map[memory.Role]string{}
		for _, m := range r.Conversations[0].Messages {
			said[m.Role] += m.Content.PlainText()
		}
		if said[memory.User] != c.person || said[memory.Assistant] != c.assistant {
			t.Errorf("%s: %v", c.text, said)
		}
	}
}

// TestProgramOfTheTask: which of the programs a task is of is told by its folder.
func TestProgramOfTheTask(t *testing.T) {
	for folder, want := range map[string]string{"saoudrizwan.claude-dev": "cline", "rooveterinaryinc.roo-cline": "roo-code", "kilocode.kilo-code": "kilo-code", "elsewhere": ""} {
		data := gen.Zip([]gen.File{{Name: folder + "/tasks/1763727100000/ui_messages.json", Data: []byte(`[{"ts":1763727100000,"type":"say","say":"task","text":"Mend it"}]`)}})
		r := Read(t, cline.Importer{}, Fixture{Files: []gen.File{{Name: "tasks.zip", Data: data}}}.Tree(t))
		if p := r.Conversations[0].Provider; p.ExportFormatVersion != want || p.ConversationID != "1763727100000" {
			t.Errorf("%s: %+v", folder, p)
		}
	}
}

// TestTooLargeTask: a task that is more than is held of one is left out, and the next is
// read.
func TestTooLargeTask(t *testing.T) {
	task := func(id, text string) gen.File {
		return gen.File{Name: "tasks/" + id + "/ui_messages.json", Data: []byte(`[{"ts":1763727100000,"type":"say","say":"task","text":"` + text + `"}]`)}
	}
	f := Fixture{Files: []gen.File{{Name: "tasks.zip", Data: gen.Zip([]gen.File{task("1763727100000", strings.Repeat("x", 2000)), task("1763727100001", "said")})}}}
	r := Read(t, cline.Holding(1000), f.Tree(t))
	if len(r.Conversations) != 1 || r.Conversations[0].Provider.ConversationID != "1763727100001" || len(r.Problems) != 1 || r.Problems[0].Reason != "item-too-large" {
		t.Errorf("%+v, %+v", r.Conversations, r.Problems)
	}
}

func FuzzRead(f *testing.F) {
	for _, l := range gen.Cline() {
		f.Add(l.Files[0].Data)
	}
	FuzzReader(f, cline.Importer{}, "ui_messages.json")
}
