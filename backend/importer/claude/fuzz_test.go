package claude_test

import (
	"testing"

	"keepsake/backend/importer/claude"
	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
)

// FuzzRead holds that no file makes the reader panic or hang, and that what it
// gives is sound.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		oldChain, everyBlock, memoryFiles, designChat, artifactTalk, artifactJSON, usersJSON, `[]`, `[{"chat_messages":[{}]}]`,
		`{"memory_files":[{"path":"/people/../x","content":"---\n"}]}`, `{"conversations_memory":"****\n**"}`,
		`[{"uuid":"p","docs":[{}],"is_starter_project":false}]`, `{"data_files":[{"filename":"a","export_url":"b"}]}`,
		`[{"uuid":"c","chat_messages":[{"uuid":"a","parent_message_uuid":"b"},{"uuid":"b","parent_message_uuid":"a"}]}]`,
		`[{"chat_messages":[{"content":[{"type":"text","text":"<antArtifact a>"},{"type":"tool_result"},{"type":"tool_use","input":[1]}]}]}]`,
		`[{"chat_messages":[{"sender":"assistant","text":"a<antThinking>b</antThinking>c","content":[{"type":"thinking","thinking":"a"},{"type":"x"}]}]}]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) == 0 {
			return
		}
		fixture := Fixture{Name: "x.json", Files: []gen.File{{Name: "x.json", Data: text}}}
		tree, err := fixture.Open()
		if err != nil {
			return // refused before any reader saw it
		}
		defer tree.Close()
		if _, err := (claude.Importer{}).Sniff(t.Context(), tree); err != nil {
			t.Fatal(err)
		}
		r := &Recording{}
		if err := (claude.Importer{}).Read(t.Context(), tree, r.Sink()); err == nil {
			CheckDrafts(t, claude.Importer{}.Info(), r)
		}
	})
}
