package chatgpt_test

import (
	"testing"

	"keepsake/backend/importer/chatgpt"
	"keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
)

// TestSuite holds the reader to what all readers promise.
func TestSuite(t *testing.T) {
	var own, others []importertest.Fixture
	for _, era := range gen.Eras() {
		data, truth := gen.ChatGPT(gen.ChatGPTOptions{Seed: 2, Era: era, Conversations: 3, Turns: 2, ShardSize: 2})
		name := "chatgpt.zip"
		if era == gen.Loose {
			name = "chatgpt.json"
		}
		own = append(own, importertest.Fixture{
			Name: string(era), Files: []gen.File{{Name: name, Data: data}},
			Conversations: len(truth.Conversations), Records: truth.Records, Packed: era == gen.Portal,
			Unread: []string{"user.json", "profile.json"},
		})
	}
	loose, truth := gen.ChatGPT(gen.ChatGPTOptions{Seed: 2, Era: gen.Loose, Conversations: 3, Turns: 2})
	own = append(own, importertest.Fixture{
		Name: "page", Files: []gen.File{{Name: "chat.html", Data: pageOf(loose)}}, Format: "page",
		Conversations: len(truth.Conversations), Records: truth.Records, Unread: []string{"chat.html"}, // what is cut behind the list is not missed
	})
	for _, layout := range []gen.Layout{gen.OneZip, gen.Batches, gen.Parts} {
		files, _ := gen.ClaudeZips(layout, gen.ClaudeOptions{Seed: 2, Conversations: 2})
		others = append(others, importertest.Fixture{Name: "claude " + string(layout), Files: files})
	}
	others = append(others,
		importertest.Loose("conversations.json", `[]`),
		importertest.Loose("deepseek.json", `[{"id":"1","title":"t","inserted_at":"2026-01-01T00:00:00Z","mapping":{"root":{"id":"root"}}}]`),
		importertest.Loose("page.json", `<html>mapping</html>`),
		importertest.Loose("pam.json", `{"schema":"portable-ai-memory","schema_version":"1.0","owner":{"id":"o"},"memories":[]}`),
	)
	importertest.Run(t, chatgpt.Importer{}, own, others)
}
