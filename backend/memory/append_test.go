package memory_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"testing/quick"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"keepsake/backend/memory"
)

// reference is what encoding/json writes.
func reference(t *testing.T, m *memory.Message) []byte {
	t.Helper()
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(m); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
}

// sameLine holds AppendMessage to the reference, for messages of which nothing
// follows. encoding/json escapes two line separators and backspace and form feed
// in its own way; both are JSON.
func sameLine(t *testing.T, m *memory.Message) {
	t.Helper()
	got, err := memory.AppendMessage([]byte("before"), m, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	got = bytes.TrimPrefix(got, []byte("before"))
	want := reference(t, m)
	var a, b memory.Message
	if err := json.Unmarshal(got, &a); err != nil {
		t.Fatalf("%s: %v", got, err)
	}
	if err := json.Unmarshal(want, &b); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(b, a); diff != "" || bytes.IndexByte(got, '\n') >= 0 {
		t.Fatalf("%s\ninstead of %s\n%s", got, want, diff)
	}
	plain := strings.NewReplacer("\u2028", `\u2028`, "\u2029", `\u2029`, `\u0008`, `\b`, `\u000c`, `\f`).Replace(string(got))
	if plain != string(want) {
		t.Fatalf("%s\ninstead of %s", plain, want)
	}
}

func TestAppendMessage(t *testing.T) {
	n, size := 7, int64(1<<40)
	at := memory.At(time.Date(2026, 1, 2, 3, 4, 5, 678000, time.UTC))
	for _, m := range []*memory.Message{
		{},
		{ID: "a", ProviderMessageID: "p", Role: memory.User, CreatedAt: memory.At(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)), Content: &memory.Content{Type: "text", Text: "x"}},
		{
			ID: "b", ProviderMessageID: "p", Role: memory.Tool, CreatedAt: at, ParentID: "a", ChildrenIDs: []string{"c", ""}, Model: "m",
			IsThought: true, TokenCount: &n,
			Content:     &memory.Content{Type: "multipart", Parts: []memory.Part{{Type: "code", Text: "<a> & \"b\"\\\x00\x1f\x7f\u2028é日本😀\xff\xfe", Language: "go"}, {Type: "image", MIMEType: "image/png", Ref: "r"}}},
			Attachments: []memory.Attachment{{Type: "file", Name: "n", MIMEType: "t", SizeBytes: &size, Ref: "r", ProviderID: "i"}, {}},
			Citations:   []memory.Citation{{Title: "t", URL: "u", Snippet: "s"}, {}},
			ToolCalls:   []memory.ToolCall{{ID: "1", Name: "n", Input: json.RawMessage(`{"a":[1,2]}`), Output: "o"}, {Input: json.RawMessage("{\n \"a\" : 1\n}")}},
			RawMetadata: memory.RawMetadata{"z": json.RawMessage("null"), "a\n\"b": json.RawMessage("[1,\n2]"), "m": json.RawMessage(`"x"`)},
		},
	} {
		sameLine(t, m)
	}
}

// TestAppendHead holds AppendHead to encoding/json.
func TestAppendHead(t *testing.T) {
	at := memory.At(time.Date(2026, 1, 2, 3, 4, 5, 678000, time.UTC))
	for _, c := range []*memory.Conversation{
		{},
		{Provider: memory.Provider{Name: "p"}, Temporal: memory.ConversationTemporal{CreatedAt: at}, ImportMetadata: &memory.ImportMetadata{}},
		{
			Provider: memory.Provider{Name: "p", ConversationID: "c", AccountID: "a", ExportFormatVersion: "v"},
			Title:    "a <title> & \"more\"\n日本", Participants: []memory.Participant{{Role: memory.User, Name: "n", ProviderID: "i"}, {}},
			Model: "m", SystemInstruction: "s", IsArchived: true, Tags: []string{"one", ""},
			Temporal:       memory.ConversationTemporal{CreatedAt: at, UpdatedAt: at},
			ImportMetadata: &memory.ImportMetadata{Importer: "i", ImporterVersion: "v", ImportedAt: at, SourceFile: "f", SourceChecksum: "s"},
			RawMetadata:    memory.RawMetadata{"z": json.RawMessage("null"), "a\"b": json.RawMessage("[1,2]"), "nothing": nil},
		},
	} {
		got, err := memory.AppendHead([]byte("before"), c)
		if err != nil {
			t.Fatal(err)
		}
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		err = enc.Encode(struct {
			memory.Conversation
			ID       string           `json:"id,omitempty"`
			Messages []memory.Message `json:"messages,omitempty"`
		}{Conversation: *c})
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != "before"+strings.TrimSuffix(want.String(), "\n") {
			t.Errorf("%s\ninstead of %s", got, &want)
		}
	}
}

// Promise: every field of a conversation is written, also one that comes later.
func TestAppendHeadKnowsEveryField(t *testing.T) {
	const fields = 13 // id, messages and leaf are not the head's
	if n := reflect.TypeFor[memory.Conversation]().NumField(); n != fields {
		t.Errorf("a conversation has %d fields, AppendHead knows of %d", n, fields)
	}
}

func TestAppendMessageOfAnyText(t *testing.T) {
	if err := quick.Check(func(id, text, key string, raw []byte) bool {
		sameLine(t, &memory.Message{ID: id, ProviderMessageID: id + "+", Content: &memory.Content{Type: "text", Text: text + string(raw)}, RawMetadata: memory.RawMetadata{strings.ToValidUTF8(key, "?"): json.RawMessage("1")}})
		return true
	}, &quick.Config{MaxCount: 2000}); err != nil {
		t.Error(err)
	}
	random := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		text := make([]byte, random.IntN(40))
		for i := range text {
			text[i] = byte(random.IntN(256))
		}
		sameLine(t, &memory.Message{Content: &memory.Content{Type: "text", Text: string(text)}})
	}
}

// TestAppendMessageRefusesWhatIsNoJSON where it must look at it.
func TestAppendMessageRefusesWhatIsNoJSON(t *testing.T) {
	if _, err := memory.AppendMessage(nil, &memory.Message{RawMetadata: memory.RawMetadata{"a": json.RawMessage("{\n")}}, nil, nil); err == nil {
		t.Error("taken")
	}
}

// TestLines reads random graphs back, in which much follows and much does not.
func TestLines(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	ids := []string{"", "a", "b", "c", "d"}
	some := func() string { return ids[random.IntN(len(ids))] }
	for range 3000 {
		all := make([]memory.Message, random.IntN(5))
		for i := range all {
			all[i] = memory.Message{ID: some(), ProviderMessageID: some(), ParentID: some()}
			for range random.IntN(3) {
				all[i].ChildrenIDs = append(all[i].ChildrenIDs, some())
			}
		}
		if diff := cmp.Diff(all, readLines(t, linesOf(t, all)), cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
	}
}

// TestLinesLeaveOut what a conversation without branches has in every message.
func TestLinesLeaveOut(t *testing.T) {
	all := []memory.Message{
		{ID: "a", ProviderMessageID: "a", ChildrenIDs: []string{"b"}},
		{ID: "b", ProviderMessageID: "b", ParentID: "a", ChildrenIDs: []string{"c"}},
		{ID: "c", ProviderMessageID: "c", ParentID: "b"},
	}
	for _, line := range linesOf(t, all) {
		if want := `","role":"","created_at":null}`; !strings.HasSuffix(string(line), want) || len(line) != len(`{"id":"a`)+len(want) {
			t.Errorf("%s", line)
		}
	}
	if diff := cmp.Diff(all, readLines(t, linesOf(t, all))); diff != "" {
		t.Error(diff)
	}
}

// TestLinesAreReadAsEncodingJSONReadsThem, whatever a provider's members hold.
func TestLinesAreReadAsEncodingJSONReadsThem(t *testing.T) {
	for _, line := range []string{
		`{"id":"a","provider_message_id":"p","role":"user","created_at":"2026-01-02T03:04:05Z","content":{"type":"text","text":"x\u2028\ud800\n"},"raw_metadata":{"a":null,"b":{"c":1,"c":[2]},"d":"` + "\xff" + `"}}`,
		`{"id":"` + "b\xff" + `","provider_message_id":"p","role":"tool","created_at":null,"model":"m","is_thought":true,"token_count":7,"content":{"type":"multipart","parts":[{"type":"code","text":"1"}]},"attachments":[{"type":"file","size_bytes":9007199254740993}],"citations":[{"url":"u"}],"tool_calls":[{"id":"1","input":{"n":1e400,"n":2},"output":"o"}]}`,
	} {
		var want memory.Message
		if err := json.Unmarshal([]byte(line), &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]memory.Message{want}, readLines(t, [][]byte{[]byte(line)})); diff != "" {
			t.Errorf("%s\n%s", line, diff)
		}
	}
}

func linesOf(t *testing.T, all []memory.Message) (lines [][]byte) {
	t.Helper()
	var before, after *memory.Message
	for i := range all {
		if after = nil; i+1 < len(all) {
			after = &all[i+1]
		}
		line, err := memory.AppendMessage(nil, &all[i], before, after)
		if err != nil {
			t.Fatal(err)
		}
		lines, before = append(lines, line), &all[i]
	}
	return lines
}

func readLines(t *testing.T, lines [][]byte) (all []memory.Message) {
	t.Helper()
	var l memory.Lines
	for i, line := range lines {
		m, err := l.Next(line)
		if err != nil || (m == nil) != (i == 0) {
			t.Fatalf("%s: %v, %v", line, m, err)
		}
		if m != nil {
			all = append(all, *m)
		}
	}
	if m := l.Last(nil); m != nil {
		all = append(all, *m)
	}
	return all
}
