package geminicli_test

import (
	"strconv"
	"strings"
	"testing"

	"keepsake/backend/importer"
	"keepsake/backend/importer/geminicli"
	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
)

// TestCase40ReplacedAndTakenBack is §13.40, as it shows in Gemini CLI: an id that comes again
// replaces, $rewindTo takes back, $set may hold the whole list anew.
func TestCase40ReplacedAndTakenBack(t *testing.T) {
	r := Read(t, geminicli.Importer{}, LayerFixture(gen.GeminiCLI()[0], CutLog).Tree(t))
	if got := ids(r); got != "1 2#1 2 6" || r.Skipped["written-again"] != 1 || r.Skipped["taken-back"] != 2 {
		t.Errorf("%s, %v", got, r.Skipped)
	}
	head := `{"sessionId":"s","projectHash":"p"}` + "\n" + `{"id":"1","type":"user","content":"One"}` + "\n" + `{"id":"2","type":"user","content":"Two"}` + "\n"
	for end, want := range map[string]string{
		`{"$rewindTo":"2"}`: "1",
		`{"$rewindTo":"no"}` + "\n" + `{"id":"3","type":"user","content":"Three"}`: "3",
		`{"$set":{"messages":[{"id":"9","type":"user","content":"Nine"}]}}`:        "9",
		`{"id":"1","type":"us`: "1 2",
	} {
		if got := ids(Read(t, geminicli.Importer{}, Loose("session.jsonl", head+end).Tree(t))); got != want {
			t.Errorf("%s: %s, want %s", end, got, want)
		}
	}
}

func ids(r *Recording) string {
	var list []string
	for _, m := range r.Conversations[0].Messages {
		list = append(list, m.ID)
	}
	return strings.Join(list, " ")
}

// TestTokenCounts: what an answer and its thoughts take is told apart.
func TestTokenCounts(t *testing.T) {
	row := `{"sessionId":"s","startTime":"2026-08-01T10:00:00Z"}` + "\n" +
		`{"id":"1","type":"gemini","content":"One","thoughts":[{"subject":"a","description":"b"}],"tokens":{"input":90,"output":7,"thoughts":3,"total":100}}` + "\n" +
		`{"id":"2","type":"gemini","content":"Two","tokens":{"output":-1}}`
	counts := map[string]int{}
	for _, m := range Read(t, geminicli.Importer{}, Loose("session.jsonl", row).Tree(t)).Conversations[0].Messages {
		if m.TokenCount != nil {
			counts[m.ID] = *m.TokenCount
		}
	}
	if len(counts) != 2 || counts["1"] != 7 || counts["1#1"] != 3 {
		t.Errorf("%v", counts)
	}
}

// TestTooLargeSession: a session that is more than is held of one. What was replaced or
// taken back is held no longer.
func TestTooLargeSession(t *testing.T) {
	row := func(id string) string {
		return `{"id":"` + id + `","type":"user","content":"` + strings.Repeat("x", 200) + `"}` + "\n"
	}
	head := func(id string) string { return `{"sessionId":"` + id + `","projectHash":"p"}` + "\n" }
	long := head("long")
	for i := range 20 {
		long += row(strconv.Itoa(i))
	}
	small := head("small") + strings.Repeat(row("1"), 10) + strings.Repeat(row("2")+`{"$rewindTo":"2"}`+"\n", 10) +
		strings.Repeat(`{"$set":{"summary":"`+strings.Repeat("y", 100)+`","messages":[`+strings.TrimSpace(row("3"))+`]}}`+"\n", 10)
	CheckLimit(t, geminicli.Importer{}, geminicli.Holding(1000), "long.jsonl", long, Loose("small.jsonl", small))
}

// TestField20ChatsOfThePage: extensions save chats of Gemini's page as sessions of the
// command line, with a title. They are Gemini's, and say where they come from; sessions
// beside them are read as ever.
func TestField20ChatsOfThePage(t *testing.T) {
	RunLayers(t, geminicli.Web(), CutLog, gen.GeminiWeb())
	webChat := string(gen.GeminiWeb()[0].Files[0].Data)
	session := strings.NewReplacer("gemini-web", "4f2d", "33836c74f2ebe4cc", "cli").Replace(webChat)
	both := Fixture{Files: []gen.File{{Name: "chats.zip", Data: gen.Zip([]gen.File{{Name: "33836c74.json", Data: []byte(webChat)}, {Name: "chats/session-1.json", Data: []byte(session)}})}}}
	for platform, im := range map[string]importer.Importer{"gemini": geminicli.Web(), "gemini-cli": geminicli.Importer{}} {
		r := Read(t, im, both.Tree(t))
		if len(r.Conversations) != 1 || r.Conversations[0].Provider.Name != platform || r.Conversations[0].Title != "Wind today" || r.Skipped["other-file"] != 1 {
			t.Errorf("%s: %+v, %v", platform, r.Conversations, r.Skipped)
		}
	}
	if c := Read(t, geminicli.Web(), both.Tree(t)).Conversations[0]; c.Provider.ExportFormatVersion != "browser-extension" || c.RawMetadata["projectHash"] == nil {
		t.Errorf("%+v", c.Provider)
	}
}

// TestField12WordsOfTheProgram: the context that Gemini CLI writes in the person's place, and
// the answer of older versions to it, are nobody's words.
func TestField12WordsOfTheProgram(t *testing.T) {
	text := `{"sessionId":"s","startTime":"2026-07-25T08:19:17Z","messages":[
		{"id":"1","type":"user","content":"<session_context>Today is Monday.</session_context>"},
		{"id":"2","type":"gemini","content":"Got it. Thanks for the context!"},
		{"id":"3","type":"user","content":"<session_context>x</session_context>\nWind today?"},
		{"id":"4","type":"gemini","content":"Got it. Thanks for the context!"}]}`
	r := Read(t, geminicli.Importer{}, Loose("chats/session-1.json", text).Tree(t))
	var words []string
	for _, m := range r.Conversations[0].Messages {
		words = append(words, m.Content.PlainText())
	}
	if got := strings.Join(words, "; "); got != "Wind today?; Got it. Thanks for the context!" || r.Skipped["hidden-context"] != 2 {
		t.Errorf("%s, %v", got, r.Skipped)
	}
}
