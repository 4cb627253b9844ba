package claude_test

import (
	"testing"

	"keepsake/backend/importer/claude"
	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
)

// TestSuite holds the reader to what all readers promise.
func TestSuite(t *testing.T) { Run(t, claude.Importer{}, own(), others()) }

func own() []Fixture {
	small := gen.ClaudeOptions{Seed: 3, Conversations: 4, Turns: 2}
	fixture := func(name, format string, layout gen.Layout, o gen.ClaudeOptions) Fixture {
		files, truth := gen.ClaudeZips(layout, o)
		return Fixture{Name: name, Format: format, Files: files, Conversations: len(truth.Conversations), Others: 1, Records: truth.Records}
	}
	list := []Fixture{
		fixture("single", "single", gen.OneZip, small),
		fixture("batches", "batches", gen.Batches, small),
		fixture("parts", "parts", gen.Parts, small),
		fixture("memories as array", "single", gen.OneZip, gen.ClaudeOptions{Seed: 4, Conversations: 1, Turns: 1, Memories: "array"}),
		fixture("memories as object", "single", gen.OneZip, gen.ClaudeOptions{Seed: 5, Conversations: 1, Turns: 1, Memories: "object"}),
	}
	list[1].Conversations++ // the batches repeat one
	for i := range list {
		list[i].Golden = i < 3
	}
	return append(list, handmade()...)
}

// handmade are the layouts that are best written out.
func handmade() []Fixture {
	oldest := Loose("conversations.json", oldChain)
	oldest.Name, oldest.Format, oldest.Conversations, oldest.Golden = "oldest chain", "loose", 1, true
	blocks := zipped("every block", map[string]string{"conversations.json": everyBlock, "users.json": usersJSON})
	blocks.Conversations, blocks.Golden = 1, true
	files := Loose("0b1c.json", memoryFiles)
	files.Name, files.Format, files.Golden = "memory files alone", "loose", true
	design := zipped("design chats", map[string]string{"design_chats/d1.json": designChat})
	design.Format, design.Conversations, design.Golden = "parts", 1, true
	frames := zipped("frames", map[string]string{
		"conversations.json": artifactTalk, "artifacts/a1/artifact.json": artifactJSON,
		"artifacts/a1/versions/v1.html": "<h1>Clock</h1>", "artifacts/a2/artifact.json": artifactJSON, "artifacts/a2/page.md": "# Lost",
	})
	frames.Conversations, frames.Golden = 1, true
	return []Fixture{oldest, blocks, files, design, frames}
}

func zipped(name string, entries map[string]string) Fixture {
	var files []gen.File
	for _, entry := range sorted(entries) {
		files = append(files, gen.File{Name: entry, Data: []byte(entries[entry])})
	}
	return Fixture{Name: name, Files: []gen.File{{Name: "export.zip", Data: gen.Zip(files)}}}
}

func others() []Fixture {
	list := []Fixture{
		Loose("conversations.json", `[]`),
		Loose("empty.json", `{}`),
		Loose("deepseek.json", `[{"id":"1","title":"t","inserted_at":"2026-01-01T00:00:00Z","mapping":{"root":{"id":"root"}}}]`),
		Loose("webui.json", `[{"id":"1","chat":{"history":{"messages":{}}}}]`),
		Loose("page.json", `<html><body>chat_messages</body></html>`),
		Loose("notes.txt", `uuid chat_messages sender`),
		Loose("mem0.json", `{"results":[{"memory":"likes tea","user_id":"u"}]}`),
		Loose("pam.json", `{"schema":"portable-ai-memory","schema_version":"1.0","owner":{"id":"o"},"memories":[]}`),
	}
	for _, era := range gen.Eras() {
		data, _ := gen.ChatGPT(gen.ChatGPTOptions{Seed: 1, Era: era})
		name := "chatgpt.zip"
		if era == gen.Loose {
			name = "chatgpt.json"
		}
		list = append(list, Fixture{Name: "chatgpt " + string(era), Files: []gen.File{{Name: name, Data: data}}})
	}
	return list
}
