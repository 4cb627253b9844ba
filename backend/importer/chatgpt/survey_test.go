package chatgpt_test

import (
	"slices"
	"testing"

	"keepsake/backend/importer"
	"keepsake/backend/importer/chatgpt"
	"keepsake/backend/importer/importertest/gen"
)

// talks is a list of conversations with these ids.
func talks(ids ...string) string {
	list := "["
	for i, id := range ids {
		if i > 0 {
			list += ","
		}
		list += `{"conversation_id":"` + id + `","title":"t","create_time":1700000000,"mapping":{` + nodeJSON(id+"-1", "", "hello", at0) + `}}`
	}
	return list + "]"
}

// TestConversationsUnderOtherNames: what begins as conversations do is read,
// whatever it is called, beside files that are called so.
func TestConversationsUnderOtherNames(t *testing.T) {
	for _, name := range []string{"archived_conversations.json", "conversations_2.json", "conversations (1).json", "older/chats.json"} {
		c := read(t, "export.zip", zipOf("conversations.json", talks("a", "b"), name, talks("c", "d", "b"), "user.json", `{"id":"u","email":"e@example.com"}`))
		if len(c.conversations) != 4 || c.skipped["duplicate"] != 1 || len(c.skipped) != 1 || len(c.problems) > 0 {
			t.Errorf("%s: %d conversations, skipped %v, problems %v", name, len(c.conversations), c.skipped, c.problems)
		}
	}
}

// TestOtherFilesAreCounted: a file that nothing is read of is in the report, and
// one of the export's own is no such file.
func TestOtherFilesAreCounted(t *testing.T) {
	own := []string{
		"conversations.json", talks("a"), "chat.html", "<html></html>", "user.json", `{"id":"u","email":"e@example.com"}`,
		"message_feedback.json", "[]", "shared_conversations.json", "[]", "model_comparisons.json", "[]", "export_manifest.json", "{}",
		"group_chats.json", "[]", "library_files.json", `[{"file_id":"odd","file_name":"list.csv"}]`, "odd.csv", "1,2",
		"file-AbC123x.dat", "x", "file_00ab12-table.json", talks("of-somebody-else"), "dalle-generations/one.webp", webp, "textdocs/1.json", "{}",
	}
	if c := read(t, "export.zip", zipOf(own...)); len(c.skipped)+len(c.problems) > 0 || len(c.conversations) != 1 {
		t.Errorf("%d conversations, skipped %v, problems %v", len(c.conversations), c.skipped, c.problems)
	}
	more := append(own, "mystery.json", `[{"a":1}]`, "notes.txt", "words", "empty.json", "[]", "broken.json", `[{"a`, "memories.json", `[{"conversation_id":"a","create_time":1}]`, "user_settings.json", "{}")
	if c := read(t, "export.zip", zipOf(more...)); c.skipped["other-file"] != 5 || c.skipped["account"] != 1 || len(c.conversations) != 1 {
		t.Errorf("%d conversations, skipped %v, want 5 other files and 1 of the account", len(c.conversations), c.skipped)
	}
	loose := zipOf("one.json", talks("a"), "mystery.json", `[{"a":1}]`, "notes.txt", "words")
	if c := read(t, "chats.zip", loose); c.skipped["other-file"] != 2 || len(c.conversations) != 1 {
		t.Errorf("loose: %d conversations, skipped %v", len(c.conversations), c.skipped)
	}
	sent := gen.Zip([]gen.File{{Name: "file_00ab12-table.json", Data: []byte(`[{"a":1}]`)}, {Name: "file_00ab13-text.txt", Data: []byte("x")}})
	nested := gen.Zip([]gen.File{{Name: "Files_a-files-0001.zip", Data: sent}, {Name: "Conversations__a-chatgpt-0001.zip", Data: zipOf(more...)}, {Name: "report.html", Data: []byte("<p>")}})
	if c := read(t, "answer.zip", nested); c.skipped["other-file"] != 6 || len(c.conversations) != 1 {
		t.Errorf("nested: %d conversations, skipped %v", len(c.conversations), c.skipped)
	}
}

// TestAFileThatAMessageShowsIsNoOther: a name says nothing; the message does.
func TestAFileThatAMessageShowsIsNoOther(t *testing.T) {
	c := read(t, "export.zip", zipOf("conversations.json", withImage("sediment://strange"), "strange.png", png, "notes.txt", "words"))
	if c.skipped["other-file"] != 1 || len(c.files) != 1 {
		t.Errorf("skipped %v, %d files", c.skipped, len(c.files))
	}
}

// TestAGapInTheNumbers: a part that must be there because a later one is, is
// named in the plan and in the report, where no manifest lists the parts.
func TestAGapInTheNumbers(t *testing.T) {
	for name, c := range map[string]struct {
		shards  []string
		missing []string
	}{
		"one":         {[]string{"000", "001", "003"}, []string{"conversations-002.json"}},
		"the first":   {[]string{"001", "002"}, []string{"conversations-000.json"}},
		"none":        {[]string{"000", "001"}, nil},
		"a year":      {[]string{"2025", "2026"}, nil},
		"no number":   {[]string{"99999999999999999999999"}, nil},
		"other forms": {[]string{"1", "3"}, nil},
	} {
		var pairs []string
		for _, n := range c.shards {
			pairs = append(pairs, "conversations-"+n+".json", talks("of-"+n))
		}
		m, err := chatgpt.Importer{}.Sniff(t.Context(), open(t, "export.zip", zipOf(pairs...)))
		if err != nil || m.Certainty != importer.Certain || !slices.Equal(m.Missing, c.missing) {
			t.Errorf("%s: plan %+v, %v", name, m, err)
		}
		got := read(t, "export.zip", zipOf(pairs...))
		if len(got.problems) != len(c.missing) || len(got.conversations) != len(c.shards) {
			t.Errorf("%s: problems %v, %d conversations", name, got.problems, len(got.conversations))
		}
		for i, p := range got.problems {
			if p.Fault.Reason != "shard-gap" || p.Path != c.missing[i] {
				t.Errorf("%s: %v", name, p)
			}
		}
	}
	listed := zipOf("conversations-000.json", talks("a"), "conversations-002.json", talks("b"),
		"export_manifest.json", `{"logical_files":{"conversations.json":{"files":["conversations-000.json","conversations-002.json"]}}}`)
	if got := read(t, "export.zip", listed); len(got.problems) > 0 {
		t.Errorf("a manifest knows better: %v", got.problems)
	}
}
