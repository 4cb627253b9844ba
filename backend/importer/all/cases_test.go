package all_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"keepsake/backend/importer/all"
	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
)

// Cases that concern several readers. Those of one reader stand in its room;
// docs/cases.md lists them all.

// export makes one conversation of a provider, with an id of "talk", from a
// title, a time for all of it, and what was said in turn. Title and time are
// JSON values.
type export func(title, at string, said ...string) Fixture

func turns(said []string, one func(i int, text string) string) string {
	var all []string
	for i, text := range said {
		all = append(all, one(i, text))
	}
	return strings.Join(all, ",")
}

// exports by reader.
var exports = map[string]export{
	"chatgpt": func(title, at string, said ...string) Fixture {
		list := turns(said, func(i int, text string) string {
			return fmt.Sprintf(`"m%d":{"id":"m%d","parent":"m%d","message":{"id":"m%d","author":{"role":"%s"},"create_time":%s,"content":{"content_type":"text","parts":[%s]}}}`, i+1, i+1, i, i+1, []string{"user", "assistant"}[i%2], at, text)
		})
		return Loose("conversations.json", fmt.Sprintf(`[{"id":"talk","conversation_id":"talk","title":%s,"create_time":%s,"current_node":"m%d","mapping":{%s}}]`, title, at, len(said), list))
	},
	"claude": func(title, at string, said ...string) Fixture {
		list := turns(said, func(i int, text string) string {
			return fmt.Sprintf(`{"uuid":"m%d","parent_message_uuid":"m%d","sender":"%s","text":"","content":[{"type":"text","text":%s}],"created_at":%s}`, i+1, i, []string{"human", "assistant"}[i%2], text, at)
		})
		return Loose("conversations.json", fmt.Sprintf(`[{"uuid":"talk","name":%s,"created_at":%s,"chat_messages":[%s]}]`, title, at, list))
	},
	"grok": func(title, at string, said ...string) Fixture {
		list := turns(said, func(i int, text string) string {
			return fmt.Sprintf(`{"response":{"_id":"m%d","parent_response_id":"m%d","sender":"%s","message":%s,"create_time":%s}}`, i+1, i, []string{"human", "assistant"}[i%2], text, at)
		})
		return Loose("backend.json", fmt.Sprintf(`{"conversations":[{"conversation":{"id":"talk","title":%s,"create_time":%s},"responses":[%s]}]}`, title, at, list))
	},
	"deepseek": func(title, at string, said ...string) Fixture {
		list := turns(said, func(i int, text string) string {
			return fmt.Sprintf(`"%d":{"id":"%d","parent":"%d","message":{"inserted_at":%s,"fragments":[{"type":"%s","content":%s}]}}`, i+1, i+1, i, at, []string{"REQUEST", "RESPONSE"}[i%2], text)
		})
		return Loose("conversations.json", fmt.Sprintf(`[{"id":"talk","title":%s,"inserted_at":%s,"mapping":{%s}}]`, title, at, list))
	},
	"lechat": func(_, at string, said ...string) Fixture {
		list := turns(said, func(i int, text string) string {
			return fmt.Sprintf(`{"id":"m%d","chatId":"talk","role":"%s","content":%s,"createdAt":%s}`, i+1, []string{"user", "assistant"}[i%2], text, at)
		})
		return Loose("chat-talk.json", "["+list+"]")
	},
	"perplexity": func(title, at string, said ...string) Fixture {
		list := turns(said, func(i int, text string) string {
			if i%2 == 1 {
				return `{"skip":true}`
			}
			answer := `""`
			if i+1 < len(said) {
				answer = said[i+1]
			}
			return fmt.Sprintf(`{"uuid":"m%d","query_str":%s,"text":%s,"created_at":%s}`, i+1, text, answer, at)
		})
		list = strings.ReplaceAll(list, `,{"skip":true}`, "")
		return Loose("thread.json", fmt.Sprintf(`{"thread_metadata":{"thread_uuid":"talk","title":%s},"entries":[%s]}`, title, list))
	},
	"gemini": func(_, at string, said ...string) Fixture {
		var rows []string
		for i := 0; i < len(said); i += 2 {
			answer := `""`
			if i+1 < len(said) {
				answer = said[i+1]
			}
			rows = append([]string{fmt.Sprintf(`{"header":"Gemini Apps","products":["Gemini Apps"],"title":%s,"time":%s,"titleUrl":"https://gemini.google.com/app/abcdef12","safeHtmlItem":[{"html":%s}]}`,
				strings.Replace(said[i], `"`, `"Prompted `, 1), at, answer)}, rows...)
		}
		return Loose("MyActivity.json", "["+strings.Join(rows, ",")+"]")
	},
}

// reads reads an export with its reader and gives its only conversation.
func reads(t *testing.T, id string, f Fixture) (*Recording, *Conversation) {
	t.Helper()
	im, _ := all.Importers().ByID(id)
	finds(t, id, f)
	r := Read(t, im, f.Tree(t))
	CheckDrafts(t, im.Info(), r)
	if len(r.Conversations) != 1 {
		t.Fatalf("%s: %d conversations", id, len(r.Conversations))
	}
	return r, &r.Conversations[0]
}

// each runs a test for every provider that has an export of that kind.
func each(t *testing.T, test func(t *testing.T, id string, make export)) {
	for id, make := range exports {
		t.Run(id, func(t *testing.T) { test(t, id, make) })
	}
}

const someTime = `"2026-05-01T10:00:00.000Z"`

func TestCase07TenThousandMessages(t *testing.T) {
	said := make([]string, 10_000)
	for i := range said {
		said[i] = `"word"`
	}
	each(t, func(t *testing.T, id string, make export) {
		if _, c := reads(t, id, make(`"Long"`, someTime, said...)); len(c.Messages) != len(said) {
			t.Errorf("%d messages", len(c.Messages))
		}
	})
}

func TestCase12UnknownTimes(t *testing.T) {
	for _, at := range []string{`null`, `0`, `""`, `"1970-01-01T00:00:00Z"`, `"soon"`} {
		each(t, func(t *testing.T, id string, make export) {
			_, c := reads(t, id, make(`"T"`, at, `"Ask"`, `"Told"`))
			if c.TimeSource != "none" || !c.Messages[0].CreatedAt.IsZero() || !c.Messages[1].CreatedAt.IsZero() {
				t.Errorf("%s became %v, source %q", at, c.Temporal, c.TimeSource)
			}
		})
	}
}

func TestCase20Titles(t *testing.T) {
	for _, title := range []string{"null", `""`, `"a\nb\r\nc"`, `"a/b:c\\d"`, `"` + strings.Repeat("long ", 60) + `"`} {
		each(t, func(t *testing.T, id string, make export) {
			_, c := reads(t, id, make(title, someTime, title, `"Told"`))
			var plain string
			_ = json.Unmarshal([]byte(title), &plain)
			if want := strings.Join(strings.Fields(plain), " "); c.Title != want && !strings.HasPrefix(want, strings.TrimSuffix(c.Title, "…")) {
				t.Errorf("%s became %q", title, c.Title)
			}
		})
	}
}

func TestCase41MarksSurrogatesAndControls(t *testing.T) {
	each(t, func(t *testing.T, id string, make export) {
		f := make(`"T"`, someTime, `"A \ud800 B \u0000 C \u202f D"`, `"Told"`)
		f.Files[0].Data = append([]byte("\xEF\xBB\xBF"), f.Files[0].Data...)
		r, c := reads(t, id, f)
		if got := c.Messages[0].Content.PlainText(); got != "A \uFFFD B \x00 C \u202F D" {
			t.Errorf("%q", got)
		}
		if len(r.Problems) != 1 || r.Problems[0].Reason != "text-mended" {
			t.Errorf("problems %+v", r.Problems)
		}
	})
}

// TestNamesThatStandTwice: what a later member of the same name stands for
// is told, and kept with the conversation.
func TestNamesThatStandTwice(t *testing.T) {
	each(t, func(t *testing.T, id string, make export) {
		r, c := reads(t, id, make(`"T"`, someTime+`,"weird":"first","weird":"second"`, `"Ask"`, `"Told"`))
		if len(r.Problems) != 1 || r.Problems[0].Reason != "members-doubled" {
			t.Errorf("problems %+v", r.Problems)
		}
		kept, err := json.Marshal(c)
		if err != nil || !bytes.Contains(kept, []byte(`"keepsake_doubled":[{"at":`)) || !bytes.Contains(kept, []byte(`"value":"first"`)) {
			t.Errorf("%v, kept: %s", err, kept)
		}
	})
}

// TestCase06CyclesAndOrphans is for exports that name parents.
func TestCase06CyclesAndOrphans(t *testing.T) {
	for id, text := range map[string]string{
		"grok": `{"conversations":[{"conversation":{"id":"talk"},"responses":[{"response":{"_id":"a","parent_response_id":"b","sender":"human","message":"1"}},{"response":{"_id":"b","parent_response_id":"a","sender":"human","message":"2"}},
			{"response":{"_id":"c","parent_response_id":"c","sender":"human","message":"3"}},{"response":{"_id":"d","parent_response_id":"gone","sender":"human","message":"4"}},{"response":{"_id":"d","sender":"human","message":"5"}}]}]}`,
		"deepseek": `[{"id":"talk","inserted_at":"x","mapping":{"1":{"parent":"2","message":{"fragments":[{"type":"REQUEST","content":"1"}]}},"2":{"parent":"1","message":{"fragments":[{"type":"REQUEST","content":"2"}]}},
			"3":{"parent":"3","message":{"fragments":[{"type":"REQUEST","content":"3"}]}},"4":{"parent":"gone","message":{"fragments":[{"type":"REQUEST","content":"4"}]}},"5":{"parent":"6","message":{"fragments":[{"type":"REQUEST","content":"5"}]}},"6":{"parent":"6","message":null}}}]`,
	} {
		if _, c := reads(t, id, Loose("conversations.json", text)); len(c.Messages) != 5 {
			t.Errorf("%s: %d messages", id, len(c.Messages))
		}
	}
}

// TestCase25OverlappingExports drops an older and a newer export of one account
// together, in both orders: the richer is taken, nothing twice.
func TestCase25OverlappingExports(t *testing.T) {
	each(t, func(t *testing.T, id string, make export) {
		said := []string{`"Ask"`, `"Told"`, `"Ask more"`, `"Told more"`}
		older, newer := make(`"T"`, someTime, said[:2]...).Files[0], make(`"T"`, someTime, said...).Files[0]
		if id == "gemini" { // each record has a time of its own, the same in both
			newer.Data = []byte(strings.Replace(string(newer.Data), "10:00:00.000Z", "10:00:09.000Z", 1))
		}
		for _, files := range [][]gen.File{{older, newer}, {newer, older}} {
			im, _ := all.Importers().ByID(id)
			r := Read(t, im, Fixture{Files: []gen.File{{Name: "a.zip", Data: gen.Zip(files[:1])}, {Name: "b.zip", Data: gen.Zip(files[1:])}}}.Tree(t))
			first, last := r.Conversations[0], r.Conversations[len(r.Conversations)-1] // one may replace the other
			if len(last.Messages) != 4 || first.ID != last.ID || len(r.Conversations)+r.Skipped["duplicate"] != 2 {
				t.Errorf("%d messages, ids %s and %s, skipped %v", len(last.Messages), first.ID, last.ID, r.Skipped)
			}
		}
	})
}

// TestCase24TimesOfEntries: what a zip says of when an entry was made is no time
// of a conversation, be it 1980 or now.
func TestCase24TimesOfEntries(t *testing.T) {
	each(t, func(t *testing.T, id string, make export) {
		loose := make(`"T"`, "null", `"Ask"`, `"Told"`).Files[0]
		var packed bytes.Buffer
		z := zip.NewWriter(&packed)
		w, err := z.CreateHeader(&zip.FileHeader{Name: loose.Name, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)})
		if err == nil {
			_, err = w.Write(loose.Data)
		}
		if err = errors.Join(err, z.Close()); err != nil {
			t.Fatal(err)
		}
		_, c := reads(t, id, Fixture{Name: "export", Files: []gen.File{{Name: "export.zip", Data: packed.Bytes()}}})
		if c.TimeSource != "none" || !c.Temporal.CreatedAt.IsZero() || !c.Messages[0].CreatedAt.IsZero() {
			t.Errorf("made on %v, from %q", c.Temporal.CreatedAt, c.TimeSource)
		}
	})
}

// TestCase46SecretsStayInTheText: a key, an address and a number that were typed
// are kept as typed and nowhere else: they are no memories, no names of kinds
// and no words of the report. The warning before they leave is redaction's.
func TestCase46SecretsStayInTheText(t *testing.T) {
	secrets := []string{"sk-proj-abcdefghijklmnop0123456789", "kim@example.org", "+47 5550 1234"}
	text := "Deploy with " + strings.Join(secrets, " or ") + " please"
	each(t, func(t *testing.T, id string, make export) {
		r, c := reads(t, id, make(`"T"`, someTime, `"`+text+`"`, `"Told"`))
		if got := c.Messages[0].Content.PlainText(); got != text {
			t.Errorf("said %q", got)
		}
		report := fmt.Sprint(r.Contents(), r.Problems, r.Skipped, r.Unknown, r.Missing)
		for _, secret := range secrets {
			if strings.Contains(report, secret) {
				t.Errorf("%q stands in %s", secret, report)
			}
		}
	})
}
