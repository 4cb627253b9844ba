package chatgpt_test

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"keepsake/backend/importer"
	"keepsake/backend/importer/chatgpt"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/intake"
)

// FuzzConversations: whatever the JSON is, reading ends without a panic, every
// graph it gives is whole, and every kept member is JSON.
func FuzzConversations(f *testing.F) {
	for _, era := range []gen.Era{gen.Loose, gen.Single, gen.Slim} {
		files, _ := gen.ChatGPTFiles(gen.ChatGPTOptions{Seed: 4, Era: era, Conversations: 1, Turns: 2})
		f.Add(files[0].Data)
	}
	f.Add([]byte(talkJSON(`"b"`, nodeJSON("a", "b", "1", at0), nodeJSON("b", "a", "2", at0))))
	f.Add([]byte(bioJSON("c", at0, "Lives in Porto.\nForget that.")))
	f.Add([]byte(snapshotJSON("c", at0, "1. [2024-99-99]. x\n2. [2024-01-01]. y\nz")))
	f.Add([]byte(instructionsJSON("c", at0, fencedProfile, "The user provided ```")))
	f.Add([]byte(withImage("sediment://file_1?#")))
	_, state := widget("Found [1].")
	f.Add([]byte(talkJSON(`"b"`, saidBy("a", "", "tool", "The latest state of the widget is: {}", `{"chatgpt_sdk":{"widget_state":`+state+`}}`), saidBy("b", "a", "assistant", "", `{"venus_widget_state":{"report_message":{}}}`))))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := intake.FromReaderAt("conversations.json", int64(len(data)), bytes.NewReader(data))
		tree, err := intake.Open(context.Background(), []intake.Source{s}, intake.Options{})
		if err != nil {
			return
		}
		defer tree.Close()
		m, err := chatgpt.Importer{}.Sniff(context.Background(), tree)
		if err != nil || m.Certainty == importer.None {
			return
		}
		c := newCollector()
		_ = (chatgpt.Importer{}).Read(context.Background(), tree, c) // an error is a right answer
		for _, d := range c.conversations {
			checkGraph(t, d)
			checkKeptIsJSON(t, d)
		}
		for _, m := range c.memories {
			if m.Content == "" || m.SourceKey == "" || m.ConversationID == "" {
				t.Fatalf("memory %+v", m)
			}
		}
	})
}

func checkKeptIsJSON(t *testing.T, d importer.ConversationDraft) {
	t.Helper()
	for name, v := range d.RawMetadata {
		if !json.Valid(v) {
			t.Fatalf("conversation: %s is %q", name, v)
		}
	}
	for _, m := range d.Messages {
		for name, v := range m.RawMetadata {
			if !json.Valid(v) {
				t.Fatalf("message: %s is %q", name, v)
			}
		}
		for _, call := range m.ToolCalls {
			if call.Input != nil && !json.Valid(call.Input) || call.Name == "" {
				t.Fatalf("tool call %+v", call)
			}
		}
	}
}
