package deepseek_test

import (
	"testing"

	"keepsake/backend/importer/chatgpt"
	"keepsake/backend/importer/deepseek"
	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/memory"
)

// TestSuite holds the reader to what all readers promise.
func TestSuite(t *testing.T) {
	Run(t, deepseek.Importer{}, []Fixture{export("fragments", false), export("older", true), Loose("hand.json", hard)}, Strangers("deepseek"))
}

func export(name string, old bool) Fixture {
	data, truth := gen.DeepSeek(5, 4, old)
	return Fixture{Name: name, Format: "export", Files: []gen.File{{Name: "deepseek.zip", Data: data}},
		Conversations: len(truth.Conversations), Records: truth.Records, Golden: !old, Unread: []string{"user.json"}}
}

// TestPlanted holds that exactly what a generator planted is read, and whose it is.
func TestPlanted(t *testing.T) {
	for _, old := range []bool{false, true} {
		data, truth := gen.DeepSeek(9, 7, old)
		f := Fixture{Files: []gen.File{{Name: "deepseek.zip", Data: data}}}
		r := Read(t, deepseek.Importer{}, f.Tree(t))
		CheckPlanted(t, r, truth)
		m, err := (deepseek.Importer{}).Sniff(t.Context(), f.Tree(t))
		if err != nil || len(m.Accounts) != 1 || m.Accounts[0] != truth.Account || r.Conversations[0].Provider.AccountID != truth.Account {
			t.Errorf("accounts %v, %v, planted was %s", m.Accounts, err, truth.Account)
		}
	}
}

const hard = `[{"id":"a","title":"","inserted_at":"2026-02-01T20:00:00.000+08:00","updated_at":null,"pinned":true,"mapping":{
 "root":{"id":"root","parent":null,"children":["1"],"message":null},
 "10":{"id":"10","parent":"9","message":{"model":"deepseek-reasoner","inserted_at":"2026-02-01T20:00:02+08:00","fragments":[{"type":"THINK","content":"One.","elapsed_secs":2},{"type":"SEARCH","results":[{"url":"https://example.org","title":"E"}]},{"type":"THINK","content":"Two."},{"type":"RESPONSE","content":"Answer"},{"type":"HOLOGRAM","content":"x"}]}},
 "9":{"id":"9","parent":"1","message":null},
 "1":{"id":"1","parent":"root","message":{"inserted_at":"2026-02-01T20:00:01+08:00","files":[{"file_name":"a.pdf","id":"f"}],"fragments":[{"type":"REQUEST","content":"Question"}]}}}},
 {"id":"b","inserted_at":"x","mapping":{"root":{"id":"root","message":null}}},
 {"title":"no id","inserted_at":"x","mapping":{}}]`

// TestCase39NotChatGPTThoughtsAndZones is the case of formats.md §13: a mapping
// that is not ChatGPT's, THINK and RESPONSE in one node, +08:00.
func TestCase39NotChatGPTThoughtsAndZones(t *testing.T) {
	tree := Loose("conversations.json", hard).Tree(t)
	if m, err := (chatgpt.Importer{}).Sniff(t.Context(), tree); err != nil || m.Certainty != 0 {
		t.Errorf("taken for ChatGPT: %+v, %v", m, err)
	}
	r := Read(t, deepseek.Importer{}, tree)
	c := r.Conversation("a")
	if c == nil || len(c.Messages) != 3 || c.Temporal.CreatedAt.String() != "2026-02-01T12:00:00Z" || c.Leaf != "10" {
		t.Fatalf("%+v", r.Conversations)
	}
	think, answer := c.Message("10#1"), c.Message("10")
	if !think.IsThought || think.Content.Text != "One.\n\nTwo." || think.ParentID != "1" || answer.ParentID != "10#1" ||
		answer.Content.Text != "Answer" || answer.Model != "deepseek-reasoner" || len(answer.Citations) != 1 || answer.CreatedAt.String() != "2026-02-01T12:00:02Z" {
		t.Errorf("%+v\n%+v", think, answer)
	}
	if q := c.Message("1"); q.Role != memory.User || q.ParentID != "" || len(q.Attachments) != 1 {
		t.Errorf("%+v", q)
	}
	if r.Unknown["fragment:HOLOGRAM"] != 1 || r.Skipped["node-without-message"] != 2 || r.Skipped["empty"] != 1 || len(r.Problems) != 1 || len(r.Missing) != 1 {
		t.Errorf("unknown %v, skipped %v, problems %v", r.Unknown, r.Skipped, r.Problems)
	}
}

// FuzzRead holds that no file makes the reader panic, and that what it gives is
// sound.
func FuzzRead(f *testing.F) {
	f.Add([]byte(hard))
	f.Add([]byte(`[{"id":"c","inserted_at":"","mapping":{"1":{"parent":"2","message":{"content":"a"}},"2":{"parent":"1","message":{"fragments":[{}]}},"3":{"parent":"3","message":null}}}]`))
	f.Fuzz(func(t *testing.T, text []byte) { CheckAnyFile(t, deepseek.Importer{}, "x.json", text) })
}

// TestForeignF07FilesInFragments: a fragment names the files that a person sent, with a
// question or alone; what the message names once more is one file.
func TestForeignF07FilesInFragments(t *testing.T) {
	const file = `{"type":"FILE","files":[{"id":"f-1","file_name":"soil.pdf","file_size":9}]}`
	r := Read(t, deepseek.Importer{}, Loose("conversations.json", `[{"id":"a","title":"t","inserted_at":"2026-02-01T20:00:00+08:00","mapping":{"root":{"id":"root","message":null},
 "1":{"id":"1","parent":"root","message":{"inserted_at":"2026-02-01T20:00:01+08:00","files":[{"id":"f-1","file_name":"soil.pdf"}],"fragments":[`+file+`,{"type":"REQUEST","content":"Read it"}]}},
 "2":{"id":"2","parent":"1","message":{"inserted_at":"2026-02-01T20:00:02+08:00","fragments":[{"type":"FILE","file_name":"alone.txt"}]}}}}]`).Tree(t))
	c := r.Conversation("a")
	for id, name := range map[string]string{"1": "soil.pdf", "2": "alone.txt"} {
		if m := c.Message(id); m.Role != memory.User || len(m.Attachments) != 1 || m.Attachments[0].Name != name || m.RawMetadata["fragments"] == nil {
			t.Errorf("%+v", m)
		}
	}
	if len(r.Unknown) != 0 || len(r.Missing) != 2 {
		t.Errorf("unknown %v, missing %v", r.Unknown, r.Missing)
	}
}
