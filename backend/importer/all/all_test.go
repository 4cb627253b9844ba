package all_test

import (
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
	for provider, f := range map[string]Fixture{
		"Character.AI": Loose("history.json", `{"external_id":"e","created":"2025-01-01","msgs":[{"uuid":"u","text":"Hi","src":{"is_human":true,"name":"Kim"}}]}`),
		"Meta AI":      {Name: "meta.zip", Files: []gen.File{{Name: "meta.zip", Data: gen.Zip([]gen.File{{Name: "files/x.txt", Data: []byte("x")}, {Name: "meta_ai_profile/your_ai_conversations.html", Data: []byte("<html>")}})}}},
		"llama.cpp":    Loose("conversation.jsonl", `{"type":"session","id":"s"}`+"\n"+`{"type":"message","message":{"convId":"s","role":"user","content":"Hi"}}`+"\n"),
	} {
		_, err := all.Importers().Match(t.Context(), f.Tree(t))
		if f := fault.From(err); f == nil || f.Reason != "unread-provider" || f.Args["provider"] != provider {
			t.Errorf("%s: %v", provider, err)
		}
	}
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
