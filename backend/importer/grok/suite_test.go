package grok_test

import (
	"testing"

	"keepsake/backend/importer/grok"
	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
)

// TestSuite holds the reader to what all readers promise.
func TestSuite(t *testing.T) {
	Run(t, grok.Importer{}, append(ours(), Loose("hand.json", hard)), Strangers("grok"))
}

func ours() []Fixture {
	var list []Fixture
	for _, times := range []string{"bson", "date", "plain"} {
		data, truth := gen.Grok(gen.GrokOptions{Seed: 5, Conversations: 4, Turns: 2, Times: times})
		list = append(list, Fixture{Name: times, Format: "export", Files: []gen.File{{Name: "grok.zip", Data: data}},
			Conversations: len(truth.Conversations), Records: truth.Records, Golden: times == "bson",
			Unread: []string{"prod-mc-auth-mgmt-api.json", "prod-mc-billing.json"}})
	}
	data, truth := gen.XArchive(7)
	return append(list, Fixture{Name: "x archive", Format: "x-archive", Files: []gen.File{{Name: "twitter.zip", Data: data}},
		Conversations: len(truth.Conversations), Records: truth.Records, Golden: true, Rows: true})
}

// TestPlanted holds that exactly what a generator planted is read.
func TestPlanted(t *testing.T) {
	data, truth := gen.Grok(gen.GrokOptions{Seed: 9})
	r := Read(t, grok.Importer{}, Fixture{Files: []gen.File{{Name: "grok.zip", Data: data}}}.Tree(t))
	CheckPlanted(t, r, truth)
	data, truth = gen.XArchive(9)
	CheckPlanted(t, Read(t, grok.Importer{}, Fixture{Files: []gen.File{{Name: "x.zip", Data: data}}}.Tree(t)), truth)
}

// hard is written out: it holds what generators make seldom.
const hard = `{"conversations":[
 {"conversation":{"conversation_id":"old","title":"Two\nlines","create_time":{"$date":{"$numberLong":"1749985200000"}},"temporary":true},"responses":[
  {"response":{"response_id":"a","sender":"human","message":"One","create_time":"2025-06-15T11:00:00.000Z"}},
  {"response":{"response_id":"b","sender":"grok-3","message":"Two <grok:render card_id=\"x\"><argument>1</argument></grok:render>","create_time":{"$date":"2025-06-15T11:00:01Z"},"parent_response_id":"a","agent_thinking_traces":[{"agent":1,"thinking_trace":"Hm"}],"cited_web_search_results":[{"url":"https://example.org","title":"E","preview":"p"}]}},
  {"response":{"response_id":"c","sender":"ASSISTANT","message":"","partial":true,"parent_response_id":"gone","create_time":null}},
  {"response":{"response_id":"d","sender":"robot","message":"?","parent_response_id":"d"}},
  {"response":7}]},
 {"conversation":{"id":"none","title":""},"responses":[]},
 {"conversation":5,"responses":[]}],
 "projects":[{"id":"p","name":"N","custom_personality":"  "},{"id":"q","custom_personality":"Be brief."}],"media_posts":[{"id":1}]}`

// TestCase38TimesSendersParentsAndPaths is the case of formats.md §13: three times, ASSISTANT, a parent
// that is missing, a double slash in the path of an upload.
func TestCase38TimesSendersParentsAndPaths(t *testing.T) {
	r := Read(t, grok.Importer{}, Loose("backend.json", hard).Tree(t))
	c := r.Conversation("old")
	if len(r.Conversations) != 1 || c == nil || len(c.Messages) != 5 {
		t.Fatalf("conversations %+v", r.Conversations)
	}
	if a, b := c.Message("a"), c.Message("b"); a.CreatedAt.String() != "2025-06-15T11:00:00Z" || b.CreatedAt.String() != "2025-06-15T11:00:01Z" ||
		c.Temporal.CreatedAt.String() != "2025-06-15T11:00:00Z" || b.Content.Text != "Two" || b.Model != "grok-3" || b.ParentID != "b#1" || len(b.Citations) != 1 {
		t.Errorf("a %+v\nb %+v", a, b)
	}
	if m := c.Message("c"); m.Role != "assistant" || m.ParentID != "" || string(m.RawMetadata["parent_response_id"]) != `"gone"` || !m.CreatedAt.IsZero() {
		t.Errorf("c %+v", m)
	}
	if r.Unknown["sender:robot"] != 1 || r.Unknown["record:number"] != 1 || r.Unknown["record:media_posts"] != 1 || r.Skipped["empty"] != 1 || len(r.Problems) != 1 {
		t.Errorf("unknown %v, skipped %v, problems %v", r.Unknown, r.Skipped, r.Problems)
	}
	if got := r.Contents(); len(got) != 1 || got[0] != "Be brief." {
		t.Errorf("memories %q", got)
	}
	data, truth := gen.Grok(gen.GrokOptions{Seed: 1})
	r = Read(t, grok.Importer{}, Fixture{Files: []gen.File{{Name: "grok.zip", Data: data}}}.Tree(t))
	if len(r.Attachments) != truth.Attachments || r.Attachments[0].MIMEType != "image/png" || len(r.Missing) != truth.Missing {
		t.Errorf("attachments %+v, missing %v", r.Attachments, r.Missing)
	}
}

// FuzzRead holds that no file makes the reader panic, and that what it gives is
// sound.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{hard, `{"conversations":[{"conversation":{"id":"a"},"responses":[{"response":{"_id":"x","parent_response_id":"y"}},{"response":{"_id":"y","parent_response_id":"x"}}]}]}`,
		`window.YTD.grok_chat_item.part0 = [{"grokChatItem":{"chatId":"1","sender":"User","message":"a","createdAt":"2025-01-01T00:00:00Z"}},{"grokChatItem":{"chatId":"1","sender":{"name":"Agent"}}},{}]`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) { CheckAnyFile(t, grok.Importer{}, "x.json", text) })
}

// TestAccounts holds that exports of two people are told apart.
func TestAccounts(t *testing.T) {
	for _, make := range []func(seed uint64) ([]byte, gen.Truth){
		func(seed uint64) ([]byte, gen.Truth) { return gen.Grok(gen.GrokOptions{Seed: seed}) }, gen.XArchive,
	} {
		data, truth := make(3)
		m, err := (grok.Importer{}).Sniff(t.Context(), Fixture{Files: []gen.File{{Name: "x.zip", Data: data}}}.Tree(t))
		if err != nil || len(m.Accounts) != 1 || m.Accounts[0] != truth.Account {
			t.Errorf("%+v, %v; planted was %s", m, err, truth.Account)
		}
	}
}
