package lechat_test

import (
	"testing"

	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/importer/lechat"
)

// TestSuite holds the reader to what all readers promise.
func TestSuite(t *testing.T) {
	data, truth := gen.LeChat(5, 4)
	own := Fixture{Name: "export", Format: "export", Files: []gen.File{{Name: "export.zip", Data: data}},
		Conversations: len(truth.Conversations), Records: truth.Records, Golden: true, Rows: true}
	hand := Loose("chat-1.json", hard)
	hand.Rows = true
	Run(t, lechat.Importer{}, []Fixture{own, hand}, Strangers("lechat"))
}

// TestPlanted holds that exactly what a generator planted is read.
func TestPlanted(t *testing.T) {
	data, truth := gen.LeChat(9, 7)
	CheckPlanted(t, Read(t, lechat.Importer{}, Fixture{Files: []gen.File{{Name: "export.zip", Data: data}}}.Tree(t)), truth)
}

const hard = `[
 {"id":"b","version":0,"chatId":"k","content":"","role":"assistant","createdAt":"2026-03-01T10:00:05.000Z","reaction":"like","contentChunks":[
   {"type":"text","text":"See "},{"type":"reference","references":[{"title":"E","url":"https://example.org"}]},{"type":"tool_call","name":"code","arguments":"{}","output":"2"},
   {"type":"custom_element","x":1},{"type":"hologram"}],"canvas":[{"title":"C","language":"go","content":"package c"}]},
 {"id":"a","version":0,"chatId":"k","content":"Ask","contentChunks":null,"role":"user","createdAt":"2026-03-01T10:00:00.000Z","files":[{"type":"image","name":"../../etc/passwd"}]},
 7]`

// TestEveryChunk reads each kind of chunk, newest first.
func TestEveryChunk(t *testing.T) {
	r := Read(t, lechat.Importer{}, Loose("chat-k.json", hard).Tree(t))
	c := r.Conversation("k")
	if c == nil || len(c.Messages) != 2 || c.Leaf != "b" || c.Title != "Ask" || c.Temporal.CreatedAt.String() != "2026-03-01T10:00:00Z" {
		t.Fatalf("%+v", r.Conversations)
	}
	b := c.Message("b")
	if b.ParentID != "a" || b.Content.PlainText() != "See \n\npackage c" || len(b.ToolCalls) != 1 || b.ToolCalls[0].Output != "2" || len(b.Citations) != 1 || b.RawMetadata["reaction"] == nil {
		t.Errorf("%+v", b)
	}
	if r.Unknown["chunk:hologram"] != 1 || r.Unknown["record:number"] != 1 || len(r.Missing) != 1 {
		t.Errorf("unknown %v, missing %v", r.Unknown, r.Missing)
	}
}

// FuzzRead holds that no file makes the reader panic, and that what it gives is
// sound.
func FuzzRead(f *testing.F) {
	f.Add([]byte(hard))
	f.Add([]byte(`[{"chatId":"k","role":"user","content":1,"contentChunks":[{}],"canvas":[{}],"files":[{},{"name":".."}]},{"chatId":"k","role":"x"}]`))
	f.Fuzz(func(t *testing.T, text []byte) { CheckAnyFile(t, lechat.Importer{}, "x.json", text) })
}
