package all_test

import (
	"strings"
	"testing"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/importer/all"
	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
)

// TestEveryExportFindsItsReader holds that no reader takes another's export.
func TestEveryExportFindsItsReader(t *testing.T) {
	for _, s := range gen.Samples() {
		finds(t, s.Reader, Fixture{Name: s.Name, Files: s.Files})
		if s.Reader == "claude" {
			for _, f := range s.Files {
				finds(t, "claude", Fixture{Name: f.Name, Files: []gen.File{f}})
			}
		}
	}
}

// TestNobodyTakesAnothers holds that only its own reader recognises an export.
func TestNobodyTakesAnothers(t *testing.T) {
	for _, s := range gen.Samples() {
		for _, im := range all.Importers() {
			if im.Info().ID == s.Reader {
				continue
			}
			m, err := im.Sniff(t.Context(), Fixture{Files: s.Files}.Tree(t))
			if err != nil || m.Certainty != importer.None {
				t.Errorf("%s takes %s %s: %+v, %v", im.Info().ID, s.Reader, s.Name, m, err)
			}
		}
	}
}

func finds(t *testing.T, id string, f Fixture) {
	t.Helper()
	found, err := all.Importers().Match(t.Context(), f.Tree(t))
	if err != nil || found.Importer.Info().ID != id || found.Match.Certainty != importer.Certain {
		t.Errorf("%s: %+v, %v", f.Name, found, err)
	}
}

func TestAnUnknownProviderIsSaidSo(t *testing.T) {
	_, err := all.Importers().Match(t.Context(), Loose("notes.json", `{"notes":["a"]}`).Tree(t))
	if f := fault.From(err); f == nil || f.Code != fault.Unsupported || f.Reason != "unknown-provider" {
		t.Errorf("%v", err)
	}
}

// TestWhatIsNotReadIsCalledWhatItIs: what people drop and nobody reads.
func TestWhatIsNotReadIsCalledWhatItIs(t *testing.T) {
	for reason, f := range map[string]Fixture{
		"unread-database":      Loose("webui.db", "SQLite format 3\x00\x10\x00"),
		"unread-pdf":           Loose("chats.pdf", "%PDF-1.7\n"),
		"unread-picture":       Loose("screenshot", "\x89PNG\r\n\x1a\n"),
		"unread-page":          Loose("chat.html", " <!DOCTYPE html>\n<html><body>You said</body></html>"),
		"unread-office":        {Name: "memories.docx", Files: []gen.File{{Name: "memories.docx", Data: gen.Zip([]gen.File{{Name: "[Content_Types].xml", Data: []byte("<Types/>")}, {Name: "word/document.xml", Data: []byte("<w/>")}})}}},
		"export-holds-nothing": Loose("download.json", "[]\n"),
	} {
		_, err := all.Importers().Match(t.Context(), f.Tree(t))
		if f := fault.From(err); f == nil || f.Reason != reason || f.Args["name"] == "" {
			t.Errorf("%s: %v", reason, err)
		}
	}
}

// TestWhatIsNotReadIsCalledByItsProgram: files of programs that nobody reads, by themselves
// and in a folder, and what they are called.
func TestWhatIsNotReadIsCalledByItsProgram(t *testing.T) {
	for _, c := range unreadFiles {
		for _, name := range []string{c.file, "some/folder/" + c.file} {
			_, err := all.Importers().Match(t.Context(), Loose(name, c.data).Tree(t))
			f := fault.From(err)
			if f == nil || f.Code != fault.Unsupported || f.Reason != c.reason || f.Args["provider"] != c.program || f.Advice() == "" || strings.Contains(f.Advice(), "{") {
				t.Errorf("%s is called %v", name, err)
			}
		}
	}
}

// unreadFiles are the smallest files of each program that are told apart.
var unreadFiles = []struct{ program, reason, file, data string }{
	{"Character.AI", "unread-provider", "history.json", `{"external_id":"e","created":"2025-01-01","msgs":[{"uuid":"u","text":"Hi","src":{"is_human":true,"name":"Kim"}}]}`},
	{"Character.AI", "unread-provider", "chat.json", `{"turns":[{"turn_key":{"chat_id":"c"},"author":{"is_human":true},"candidates":[{"raw_content":"Hello"}]}]}`},
	{"Meta AI", "unread-provider", "your_ai_conversations.html", `<html><body>You</body></html>`},
	{"VS Code Copilot Chat", "unread-provider", "3b7e.json", `{"version":3,"sessionId":"s","requests":[{"requestId":"r","message":{"text":"Why?"},"response":[{"value":"So."}],"timestamp":1763727100000}]}`},
	{"VS Code Copilot Chat", "unread-provider", "4c7e.jsonl", `{"kind":0,"v":{"version":3,"sessionId":"s","requests":[]}}` + "\n" + `{"kind":2,"k":["requests"],"v":[]}` + "\n"},
	{"Copilot CLI", "unread-provider", "events.jsonl", `{"type":"session.start","data":{"sessionId":"s"},"id":"e","timestamp":"2026-07-28T10:00:00Z","parentId":null}` + "\n" + `{"type":"user.message","data":{"content":"Hi"},"id":"f","parentId":"e"}` + "\n"},
	{"ChatGPT Exporter", "unread-copy", "ChatGPT-Soup.json", `{"metadata":{"title":"Soup","powered_by":"ChatGPT Exporter"},"messages":[{"role":"Prompt","say":"A soup?"},{"role":"Response","say":"Leek."}]}`},
	{"ChatGPT Exporter", "unread-copy", "ChatGPT-Soup.md", "# Soup\n\n## Prompt:\nA soup?\n\n## Response:\nLeek.\n"},
	{"AnythingLLM", "unread-provider", "chats.json", `[{"id":1,"prompt":"A soup?","response":"Leek.","sent_at":"2026-05-01T10:00:00Z","workspace":"Kitchen"}]`},
	{"AnythingLLM, Unsloth, OpenAI (messages: role, content)", "unread-provider", "chats.jsonl", `{"messages":[{"role":"user","content":"A soup?"},{"role":"assistant","content":"Leek."}]}` + "\n"},
	{"AnythingLLM, Unsloth, OpenAI (messages: role, content)", "unread-provider", "list.json", `[{"role":"user","content":"A soup?"},{"role":"assistant","content":"Leek."}]`},
	{"ShareGPT", "unread-provider", "sharegpt.json", `[{"id":"1","conversations":[{"from":"human","value":"A soup?"},{"from":"gpt","value":"Leek."}]}]`},
	{"Aider", "unread-provider", ".aider.chat.history.md", "\n# aider chat started at 2026-05-01 10:00:00\n\n#### Fix the tests\n\nDone.\n"},
	{"claude-mem", "unread-provider", "memories.json", `{"exportedAt":"2026-06-05T10:00:00Z","totalObservations":1,"observations":[{"id":1,"memory_session_id":"x","type":"discovery","title":"Till"}],"prompts":[]}`},
	{"supermemory", "unread-provider", "export.json", `{"version":1,"documents":[{"id":"d1","content":"Pat keeps bees","containerTags":["home"]}]}`},
	{"big-AGI", "unread-provider", "backup.agi.json", `{"conversations":[{"id":"c","messages":[{"id":"m","role":"user","fragments":[{"ft":"content","part":{"pt":"text","text":"Hi"}}]}]}]}`},
	{"big-AGI", "unread-provider", "one.agi.json", `{"id":"c","messages":[{"id":"m","role":"user","fragments":[{"ft":"content","part":{"pt":"text","text":"Hi"}}]}]}`},
	{"BetterChatGPT", "unread-provider", "better.json", `{"version":1,"chats":[{"id":"c","title":"Soup","config":{"model":"gpt-4o"},"messages":[{"role":"user","content":"A soup?"}]}],"folders":{}}`},
	{"HuggingChat", "unread-provider", "conversations.json", `[{"_id":"66aa","title":"Soup","rootMessageId":"s","messages":[{"id":"a","from":"user","content":"A soup?"}]}]`},
	{"OpenClaw, Pi", "unread-provider", "5f.jsonl", `{"type":"session","id":"s","cwd":"/p","timestamp":"2026-06-01T10:00:00Z"}` + "\n" + `{"type":"message","id":"m","parentId":null,"message":{"role":"user","content":"Hi"}}` + "\n"},
	{"Gemini CLI", "unread-file", "checkpoint-bees.json", `{"history":[{"role":"user","parts":[{"text":"How many hives?"}]}],"authType":"x"}`},
	{"Gemini CLI", "unread-file", "gemini-conversation-1.json", `[{"role":"user","parts":[{"text":"How many hives?"}]},{"role":"model","parts":[{"text":"Four."}]}]`},
	{"Claude Code", "unread-file", "history.jsonl", `{"display":"Plan the shelf","pastedContents":{},"timestamp":1788000000000,"project":"/p","sessionId":"s"}` + "\n"},
	{"Claude Code", "unread-file", "2026-05-01-soup.txt", "╭─── Claude Code v2.1.226 ───╮\n\n❯ A soup?\n\n⏺ Leek.\n"},
	{"Codex", "unread-file", "prompts.jsonl", `{"session_id":"s","ts":1788000000,"text":"Plan the shelf"}` + "\n"},
	{"Ollama", "unread-database-of", "db.sqlite", "SQLite format 3\x00" + strings.Repeat("\x00", 80) + "CREATE TABLE chats(id text)"},
	{"Cursor", "unread-database-of", "state.vscdb", "SQLite format 3\x00" + strings.Repeat("\x00", 80) + "CREATE TABLE ItemTable (key TEXT)CREATE TABLE cursorDiskKV (key TEXT)"},
	{"Zed", "unread-database-of", "threads.db", "SQLite format 3\x00" + strings.Repeat("\x00", 80) + "CREATE TABLE IF NOT EXISTS threads (id TEXT, data_type TEXT)"},
	{"opencode", "unread-database-of", "opencode.db", "SQLite format 3\x00" + strings.Repeat("\x00", 80) + "CREATE TABLE `session` (`id` text, `project_id` text, `slug` text, `directory` text)"},
	{"Goose", "unread-database-of", "sessions.db", "SQLite format 3\x00" + strings.Repeat("\x00", 80) + "CREATE TABLE sessions (id TEXT, working_dir TEXT)CREATE TABLE messages (content_json TEXT)"},
}

func TestIDsAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, im := range all.Importers() {
		info := im.Info()
		if seen[info.ID] {
			t.Errorf("%s twice", info.ID)
		}
		seen[info.ID] = true
		if found, ok := all.Importers().ByID(info.ID); !ok || found.Info() != info {
			t.Errorf("%s is not found by its id", info.ID)
		}
	}
}

// inMIF is the Memory Interchange Format in its versions and packings.
var inMIF = map[string]Fixture{
	"mif 1": Loose("memories.mif.json", `{"mif_version":"1.0","generator":"x","export":{"id":"e","created_at":"2026-01-01T00:00:00Z","user_id":"u","checksum":"c"},"memories":[{"id":"mem_1","content":"Likes tea","type":"Learning","importance":0.5,"created_at":"2026-01-01T00:00:00Z","tags":[],"source":{"type":"s"},"entities":[],"relations":{"related_memories":[],"related_todos":[]}}],"todos":[],"graph":{"nodes":[],"edges":[]},"metadata":{}}`),
	"mif 2": Loose("memories.mif.json", `{"mif_version":"2.0","generator":{"name":"x","version":"1"},"export_meta":{"id":"e","created_at":"2026-01-01T00:00:00Z","user_id":"u"},"memories":[{"id":"1","content":"Likes tea","memory_type":"observation","created_at":"2026-01-01T00:00:00Z","tags":[],"entities":[],"metadata":{}}],"knowledge_graph":{"entities":[{"id":"e"}],"relationships":[],"episodes":[]},"todos":[],"projects":[],"reminders":[],"vendor_extensions":{}}`),
	"lines": Loose("memories.mif.jsonl", `{"mif_version":"2.0","generator":{"name":"x","version":"1"},"export_meta":{"id":"e"}}`+"\n"+`{"id":"1","content":"Likes tea","memory_type":"observation","created_at":"2026-01-01T00:00:00Z"}`+"\n"),
	"YAML":  Loose("memories.mif.yaml", "mif_version: \"1.0\"\ngenerator: x\nmemories:\n  - id: mem_1\n    content: Likes tea\n    type: Learning\n"),
}

// TestNobodyTakesMIF holds that a reader of MIF alone may recognise it.
func TestNobodyTakesMIF(t *testing.T) {
	for name, f := range inMIF {
		for _, im := range all.Importers() {
			if m, err := im.Sniff(t.Context(), f.Tree(t)); im.Info().ID != "mif" && (err != nil || m.Certainty != importer.None) {
				t.Errorf("%s takes %s: %+v, %v", im.Info().ID, name, m, err)
			}
		}
	}
}

// TestEveryReaderHasASample holds that the matrix of exports and readers is
// whole: each reader has at least one export that the others are shown.
func TestEveryReaderHasASample(t *testing.T) {
	has := map[string]bool{}
	for _, s := range gen.Samples() {
		has[s.Reader] = true
	}
	for _, im := range all.Importers() {
		if !has[im.Info().ID] {
			t.Errorf("%s has no sample", im.Info().ID)
		}
	}
}
