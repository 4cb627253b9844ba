package gemini_test

import (
	"slices"
	"strings"
	"testing"

	"keepsake/backend/importer/gemini"
	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/memory"
)

// TestCase34LanguagesPartsAndMixedProducts is the case of formats.md §13: names
// in any language, HTML or JSON, numbered parts, other products in the same file.
// What is read in each language TestPlanted holds.
func TestCase34LanguagesPartsAndMixedProducts(t *testing.T) {
	files, truth := gen.Takeout(gen.TakeoutOptions{Seed: 2, Language: "el", Mixed: true})
	parts := gen.TakeoutZips(files, 2)
	r := Read(t, gemini.Importer{}, Fixture{Files: parts}.Tree(t))
	CheckPlanted(t, r, truth) // the picture lies in another part than its record
	if r.Skipped["other-product"] != 2 {
		t.Errorf("skipped %v", r.Skipped)
	}
	parts[1].Name = strings.Replace(parts[1].Name, "-002", "-004 (1)", 1)
	m, err := (gemini.Importer{}).Sniff(t.Context(), Fixture{Files: parts}.Tree(t))
	want := []string{"takeout-20260704T091233Z-002.zip", "takeout-20260704T091233Z-003.zip"}
	if err != nil || !slices.Equal(m.Missing, want) {
		t.Errorf("missing %v, %v", m.Missing, err)
	}
	twins, truth := gen.Takeout(gen.TakeoutOptions{Seed: 2})
	page, _ := gen.Takeout(gen.TakeoutOptions{Seed: 2, Layout: "html"})
	r = Read(t, gemini.Importer{}, Fixture{Files: gen.TakeoutZips(append(twins, page[1]), 1)}.Tree(t))
	CheckPlanted(t, r, truth)
	if r.Skipped["html-twin"] != 1 {
		t.Errorf("skipped %v", r.Skipped)
	}
}

// hardRows are the rows of case 35.
const hardRows = `[
 {"header":"Gemini Apps","title":"Prompted five drafts","time":"2026-07-04T12:00:00.000Z","products":["Gemini Apps"],"safeHtmlItem":[{"html":"<p>1</p>"},{"html":"<p>2</p>"},{"html":"<p>3</p>"},{"html":"<p>4</p>"},{"html":"<p>5</p>"}],"details":[{"url":"https://gemini.google.com/app/aaaaaaaa"},{"url":"https://gemini.google.com/app/bbbbbbbb"}]},
 {"header":"Gemini Apps","title":"Prompted no answer","time":"2026-07-04T11:59:00.000Z","products":["Gemini Apps"],"titleUrl":"https://gemini.google.com/app/aaaaaaaa"},
 {"header":"Gemini Apps","title":"Gave feedback: Good response","time":"2026-07-04T11:58:30.000Z","products":["Gemini Apps"],"titleUrl":"https://gemini.google.com/app/aaaaaaaa"},
 {"header":"Gemini Apps","title":"Prompted alone, with <b> & a link","time":"2026-07-01T10:00:00.000Z","products":["Gemini Apps"],"safeHtmlItem":[{"html":"<p>Use <code>x</code> &amp; <a href=\"https://example.org\">this</a></p><pre><code>a\nb</code></pre><img src=\"made.png\">"}],"subtitles":[{"name":"Example","url":"https://example.org/a"}],"locationInfos":[{"name":"Home"}]},
 {"header":"Gemini Apps","title":"Prompted same second","time":"2026-07-01T10:00:00.000Z","products":["Gemini Apps"],"safeHtmlItem":[{"html":"x"}]},
 {"header":"Gemini Apps","title":"Used Gemini Apps","time":"2026-06-01T10:00:00.000Z","products":["Gemini Apps"]},
 {"header":"Bard","title":"Prompted long ago","time":"never","products":["Bard"],"details":[{"name":"Request","value":"Asked in the oldest way"},{"name":"Response","value":"Told so"}]},
 7]`

// TestCase35NoAnswerDraftsAndConversations is the case of formats.md §13: a row
// without an answer, with five drafts, with several conversations, with none.
func TestCase35NoAnswerDraftsAndConversations(t *testing.T) {
	r := read(t, "MyActivity.json", hardRows)
	c := r.Conversation("aaaaaaaa")
	if c == nil || len(c.Messages) != 4 || len(r.Conversations) != 3 {
		t.Fatalf("%d conversations: %+v", len(r.Conversations), r.Conversations)
	}
	if m := c.Messages[0]; m.Role != memory.System || m.Content.Text != "Gave feedback: Good response" {
		t.Errorf("feedback: %+v", m)
	}
	if m := c.Messages[1]; m.Content.Text != "no answer" || string(m.RawMetadata["keepsake_verb"]) != `"Prompted "` {
		t.Errorf("question: %+v", m)
	}
	if m := c.Messages[3]; len(m.Content.Parts) != 5 || string(m.RawMetadata["keepsake_answers"]) != "5" {
		t.Errorf("drafts: %+v", m)
	}
	if r.Unknown["record-of:several-conversations"] != 1 || r.Skipped["activity"] != 1 || len(r.Problems) != 1 || !slices.Equal(r.Missing, []string{"made.png"}) {
		t.Errorf("unknown %v, skipped %v, problems %v, missing %v", r.Unknown, r.Skipped, r.Problems, r.Missing)
	}
	var guessed *Conversation
	for i := range r.Conversations {
		if string(r.Conversations[i].RawMetadata["keepsake_grouping"]) == `"gap"` && len(r.Conversations[i].Messages) == 4 {
			guessed = &r.Conversations[i]
		}
	}
	if guessed == nil || guessed.Provider.ConversationID != "" || guessed.Messages[0].Content.Text != "same second" ||
		guessed.Messages[3].Content.Text != "Use `x` & [this](https://example.org)\n\n```\na\nb\n```\n\n![](made.png)" || len(guessed.Messages[3].Citations) != 1 {
		t.Errorf("guessed: %+v", guessed)
	}
	old := r.Conversations[len(r.Conversations)-1]
	if old.TimeSource != "none" || old.Messages[0].Content.Text != "Asked in the oldest way" || old.Messages[1].Content.Text != "Told so" {
		t.Errorf("oldest: %+v", old)
	}
}

func cell(stamp string) string {
	return `<div class="outer-cell mdl-cell"><div class="header-cell"><p class="mdl-typography--title">Gemini Apps<br></p></div>` +
		`<div class="content-cell mdl-typography--body-1">Prompted&nbsp;At what time?<br>` + stamp + `<br><p>Now.</p></div></div>`
}

// TestCase36DatesOfPages is the case of formats.md §13: dates as pages show them.
// One that cannot be read is unknown, and kept as it stood.
func TestCase36DatesOfPages(t *testing.T) {
	for stamp, want := range map[string]string{
		"Jul 4, 2026, 9:12:33\u202FAM EDT":   "2026-07-04T13:12:33Z",
		"Sept 4, 2026, 12:12:33\u00A0PM UTC": "2026-09-04T12:12:33Z",
		"Jan 2, 2025, 12:04:05 AM GMT+8":     "2025-01-01T16:04:05Z",
		"4 Jan 2026, 09:12:33 GMT+05:30":     "2026-01-04T03:42:33Z",
		"Jan 4, 2026, 9:12:33 AM CDT":        "2026-01-04T14:12:33Z", // in winter: the zone as it is stamped
		"04.07.2026, 11:12:33 MESZ":          "2026-07-04T09:12:33Z",
		"4. März 2026, 11:12:33 MEZ":         "2026-03-04T10:12:33Z",
		"4 de jul. de 2026, 09:12:33 BRT":    "2026-07-04T12:12:33Z",
		"4 juil. 2026, 09:12:33 CEST":        "2026-07-04T07:12:33Z",
		"4 ago 2026, 9:12:33 p. m. UTC":      "2026-08-04T21:12:33Z",
		"4 Ιουλ 2026, 9:12:33 μ.μ. EEST":     "2026-07-04T18:12:33Z",
		"2026年7月4日 21:12:33 JST":             "2026-07-04T12:12:33Z",
		"2026. 7. 4. 오후 9:12:33 KST":         "2026-07-04T12:12:33Z",
		"13/07/2026, 09:12:33 UTC":           "2026-07-13T09:12:33Z",
		"Jul 4, 2026, 9:12:33 AM Mars Time":  "2026-07-04T09:12:33Z", // assumed, and marked
		"04/07/2026, 09:12:33 UTC":           "",                     // the fourth of July, or the seventh of April
		"4 mesiac 2026, 09:12:33 UTC":        "",
		"Feb 31, 2026, 9:12:33 AM UTC":       "",
		"Jul 4, 1970, 9:12:33 AM UTC":        "",
	} {
		r := read(t, "MyActivity.html", "<html><body>"+cell(stamp)+"</body></html>")
		if len(r.Conversations) != 1 || len(r.Conversations[0].Messages) != 2 {
			t.Errorf("%q: %+v", stamp, r.Conversations)
			continue
		}
		m := r.Conversations[0].Messages[0]
		if got := m.CreatedAt.String(); got != want || m.Content.Text != "At what time?" {
			t.Errorf("%q is %q, want %q; question %q", stamp, got, want, m.Content.Text)
		}
		if marked := m.RawMetadata["keepsake_time_zone"] != nil; marked != strings.Contains(stamp, "Mars") {
			t.Errorf("%q: zone assumed %v", stamp, marked)
		}
		if want == "" && m.RawMetadata["time"] == nil {
			t.Errorf("%q is lost", stamp)
		}
	}
}

// hardPage has a question of several lines with a time in it, and one without
// an answer.
const hardPage = `<html><body><div class="mdl-grid">
<div class="outer-cell mdl-cell"><div class="mdl-grid"><div class="header-cell"><p class="mdl-typography--title">Gemini Apps<br></p></div>
<div class="content-cell mdl-typography--body-1">Prompted&nbsp;First line<br>Jan 1, 2020, 1:02:03 AM UTC<br>1 &lt; 2<br>Attached 2 files.<br>-&nbsp; <a href="a.png">a</a><br>-&nbsp; <a href="b.pdf">b</a><br>Jul 4, 2026, 9:12:33 AM UTC<br><p>See <a href="https://gemini.google.com/app/deadbeef">that</a>.</p><p>On Jul 5, 2026, 9:12:33 AM UTC.</p></div>
<div class="content-cell mdl-typography--caption"><b>Products:</b><br>Gemini Apps<br><b>Details:</b><br>gemini.google.com/app/cafe1234<br></div></div></div>
<div class="outer-cell mdl-cell"><div class="header-cell"><p>Gemini Apps</p></div><div class="content-cell mdl-typography--body-1">Prompted&nbsp;And then?<br>Jul 4, 2026, 9:00:00 AM UTC<br></div></div>
<div class="outer-cell mdl-cell"></div>
</div></body></html>`

// TestPages reads what is seldom on a page.
func TestPages(t *testing.T) {
	r := read(t, "MyActivity.html", hardPage)
	c := r.Conversation("cafe1234")
	if c == nil || len(c.Messages) != 2 || len(r.Conversations) != 2 || len(r.Problems) != 1 {
		t.Fatalf("%+v, %v", r.Conversations, r.Problems)
	}
	if m := c.Messages[0]; m.Content.Text != "First line\nJan 1, 2020, 1:02:03 AM UTC\n1 < 2" || len(m.Attachments) != 2 || m.CreatedAt.String() != "2026-07-04T09:12:33Z" {
		t.Errorf("%q, %+v", m.Content.Text, m)
	}
	if m := c.Messages[1]; !strings.HasPrefix(m.Content.Text, "See [that]") || !strings.Contains(m.Content.Text, "On Jul 5") {
		t.Errorf("%q", m.Content.Text)
	}
	if alone := r.Conversations[1]; len(alone.Messages) != 1 || alone.Messages[0].Content.Text != "And then?" {
		t.Errorf("%+v", alone)
	}
}

// TestVerbsAreLearned holds that a verb that nobody knows is found, in front and
// behind, and that few titles teach nothing.
func TestVerbsAreLearned(t *testing.T) {
	rows := func(n int, title func(string) string) string {
		var all []string
		for i := range n {
			word := strings.Fields("how,now what,then why,me tell,us give,it find,her")[i]
			all = append(all, `{"header":"Gemini","title":"`+title(strings.Replace(word, ",", " ", 1))+`","time":"2026-07-04T1`+string(rune('0'+i))+`:00:00Z","products":["Gemini"],"safeHtmlItem":[{"html":"a"}]}`)
		}
		return "[" + strings.Join(all, ",") + "]"
	}
	said := func(text string) string {
		return read(t, "a.json", text).Conversations[0].Messages[0].Content.Text
	}
	for name, title := range map[string]func(string) string{
		"before": func(s string) string { return "Kysyttiin\u00A0" + s },
		"behind": func(s string) string { return s + " soruldu" },
	} {
		if got := said(rows(6, title)); got != "how now" {
			t.Errorf("%s: %q", name, got)
		}
		if got := said(rows(2, title)); got != title("how now") {
			t.Errorf("%s, from two: %q", name, got)
		}
	}
}

const gemsPage = `<html><body><b>Nom&nbsp;:</b> Un<br><b>Description :</b> court<br><b>Instructions&nbsp;:</b> Ligne <i>une</i><br>Ligne deux<br><br>
<b>Nom&nbsp;:</b> Deux<br><b>Description :</b> x<br></body></html>`

// TestGems reads Gems in another language; one has no instructions but a
// description, which is the longest text it has.
func TestGems(t *testing.T) {
	r := read(t, "gemini_gems_data.html", gemsPage)
	if got := r.Contents(); !slices.Equal(got, []string{"Ligne une\nLigne deux", "x"}) || r.Memories[0].Metadata["gem"] != "Un" {
		t.Errorf("%q, %+v", got, r.Memories)
	}
}

// TestACutPageOfGems: of a truncated page the complete Gems are read, and a problem is
// reported.
func TestACutPageOfGems(t *testing.T) {
	r := Read(t, gemini.Importer{}, Loose("gemini_gems_data.html", gemsPage[:strings.Index(gemsPage, "<b>Nom&nbsp;:</b> Deux")]).Tree(t))
	if got := r.Contents(); !slices.Equal(got, []string{"Ligne une\nLigne deux"}) || len(r.Problems) != 1 || r.Problems[0].Reason != "gems-truncated" {
		t.Errorf("%q, %+v", got, r.Problems)
	}
}

// TestHugeAnswersBecomePlainText holds that an answer larger than is made
// Markdown of is still read.
func TestHugeAnswersBecomePlainText(t *testing.T) {
	answer := "<p>Begin</p>" + strings.Repeat("<b>word</b> ", 100_000) + "<p>End</p>"
	r := read(t, "MyActivity.json", `[{"header":"Gemini Apps","title":"Prompted a lot","time":"2026-07-04T12:00:00.000Z","products":["Gemini Apps"],"safeHtmlItem":[{"html":"`+answer+`"}]}]`)
	if text := r.Conversations[0].Messages[1].Content.Text; !strings.HasPrefix(text, "Begin\nword word") || !strings.HasSuffix(text, "word \nEnd") {
		t.Errorf("%q … %q", text[:20], text[len(text)-20:])
	}
}

// TestField19FilesOfAIStudio: each chunk has its time, code and what it printed are a call
// and its result, a file inside is stored, and text may stand in parts.
func TestField19FilesOfAIStudio(t *testing.T) {
	text := `{"runSettings":{"model":"models/gemini-x"},"chunkedPrompt":{"chunks":[
		{"text":"Plan my spring.","role":"user","createTime":"2026-04-01T08:00:00Z"},
		{"role":"model","parts":[{"text":"First, "},{"text":"inspect the queen."}],"createTime":"2026-04-01T08:00:05Z"},
		{"inlineFile":{"mimeType":"text/plain","data":"aGl2ZSBsaXN0"},"role":"user"},
		{"executableCode":{"language":"PYTHON","code":"print(4)"},"role":"model"},
		{"parts":[{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"4"}}],"role":"model"},
		{"youtubeVideo":{"id":"abc"},"role":"user"},
		{"text":"","role":"model","errorMessage":"An internal error has occurred."}]}}`
	r := Read(t, gemini.Importer{}, Loose("Beekeeping plan", text).Tree(t))
	c := r.Conversations[0]
	var said []string
	for _, m := range c.Messages {
		says := string(m.Role) + " " + m.Content.PlainText()
		for _, call := range m.ToolCalls {
			says += string(call.Input)
		}
		for _, a := range m.Attachments {
			says += a.Name
		}
		said = append(said, says)
	}
	want := `user Plan my spring.; assistant First, inspect the queen.; user file.txt; assistant {"language":"PYTHON","code":"print(4)"}; tool 4; user https://www.youtube.com/watch?v=abc`
	if got := strings.Join(said, "; "); got != want {
		t.Error(got)
	}
	if c.Temporal.CreatedAt.String() != "2026-04-01T08:00:00Z" || c.TimeSource != "message" || c.Messages[1].CreatedAt.String() != "2026-04-01T08:00:05Z" || len(r.Attachments) != 1 || r.Skipped["notice"] != 1 {
		t.Errorf("%s from %q, %+v, %v", c.Temporal.CreatedAt, c.TimeSource, r.Attachments, r.Skipped)
	}
}

// TestForeignF01PartsOfAIStudio: whatever stands in parts is what it is as a member of the
// chunk, and a file whose chunks have no time has that of the file.
func TestForeignF01PartsOfAIStudio(t *testing.T) {
	r := Read(t, gemini.Importer{}, Loose("Hives", `{"createTime":"2026-04-01T08:00:00Z","runSettings":{"model":"models/gemini-x"},"chunkedPrompt":{"chunks":[
		{"role":"user","parts":[{"text":"Count them."},{"youtubeVideo":{"id":"abc"}}]},
		{"role":"model","parts":[{"text":"I count. ","thought":true},{"executableCode":{"language":"PYTHON","code":"print(4)"}},{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"4"}},{"text":"Four."}]}]}}`).Tree(t))
	c := r.Conversations[0]
	var said []string
	for _, m := range c.Messages {
		says := string(m.Role) + " " + m.Content.PlainText()
		if m.IsThought {
			says = "thought " + says
		}
		for _, call := range m.ToolCalls {
			says += string(call.Input) + call.Output
		}
		for _, a := range m.Attachments {
			says += " " + a.Name
		}
		said = append(said, says)
	}
	want := "user Count them. https://www.youtube.com/watch?v=abc; thought assistant I count. ; assistant {\"language\":\"PYTHON\",\"code\":\"print(4)\"}; tool 4; assistant Four."
	if got := strings.Join(said, "; "); got != want {
		t.Error(got)
	}
	if c.Temporal.CreatedAt.String() != "2026-04-01T08:00:00Z" || len(r.Unknown) != 0 {
		t.Errorf("%s from %q, %v", c.Temporal.CreatedAt, c.TimeSource, r.Unknown)
	}
}

// TestForeignF04VariantsOfTheMappings: records as descriptions of the format have them, with
// question and answer in the clear, without a title or products, and another address.
func TestForeignF04VariantsOfTheMappings(t *testing.T) {
	r := read(t, "MyActivity.json", `[
 {"header":"Gemini","titleUrl":"https://gemini.google.com/app/c/conv-001","time":"2026-01-01T10:05:00Z","userInteractions":[
  {"userInteraction":{"endpoint":2,"request":"[{\"text\":\"Tell me more\"}]","response":"[{\"content\":[{\"text\":\"It is\"},{\"text\":\"green.\"}]}]"}},
  {"userInteraction":{"request":"And?","response":"[broken"}}]},
 {"header":"Gemini","titleUrl":"https://gemini.google.com/app/c/conv-001","time":"2026-01-01T10:00:00Z","details":[
  {"name":"Request","value":"What is moss?"},{"name":"Response","value":"A plant."},{"name":"Request","value":"Sure?"},{"name":"Response","value":"Yes."}]},
 {"header":"Gemini Apps","title":"Used Gemini Apps","time":"2025-01-01T10:00:00Z","products":["Gemini Apps"],"userInteractions":[{"userInteraction":{"request":"Alone"}}]}]`)
	c := r.Conversation("conv-001")
	if c == nil || len(r.Conversations) != 2 || len(r.Skipped) != 0 || len(r.Problems) != 0 {
		t.Fatalf("%+v, %v, %v", r.Conversations, r.Skipped, r.Problems)
	}
	var said []string
	for _, m := range c.Messages {
		said = append(said, string(m.Role)+": "+m.Content.Text)
	}
	want := []string{"user: What is moss?", "assistant: A plant.", "user: Sure?", "assistant: Yes.", "user: Tell me more", "assistant: It is\ngreen.", "user: And?", "assistant: [broken"}
	if !slices.Equal(said, want) || c.Title != "What is moss?" || c.Messages[4].RawMetadata["userInteractions"] == nil {
		t.Errorf("%q, %q", c.Title, said)
	}
	if c := r.Conversations[1]; len(c.Messages) != 1 || c.Messages[0].Content.Text != "Alone" {
		t.Errorf("%+v", c)
	}
}

// TestForeignF05KnownVerbs: in a file with few records no verb can be learned; those that
// are known are cut off, in whatever space stands behind them.
func TestForeignF05KnownVerbs(t *testing.T) {
	for _, title := range []string{"Eingegebener Prompt: Warum?", "Eingegebener Prompt:\u00A0Warum?", "Angefordert Warum?", "Solicitó Warum?", "Demandé Warum?", "Richiesto Warum?", "Warum? と入力しました"} {
		row := `{"header":"Gemini-Apps","title":"` + title + `","time":"2026-07-04T12:00:00Z","products":["Gemini-Apps"],"safeHtmlItem":[{"html":"Darum."}]}`
		r := read(t, "MyActivity.json", "["+row+"]")
		c := r.Conversations[0]
		kept := string(c.Messages[0].RawMetadata["keepsake_verb"]) + string(c.Messages[0].RawMetadata["keepsake_verb_behind"])
		if c.Title != "Warum?" || c.Messages[0].Content.Text != "Warum?" || kept == "" {
			t.Errorf("%s: %q, %q, kept %s", title, c.Title, c.Messages[0].Content.Text, kept)
		}
	}
	r := read(t, "MyActivity.html", "<html><body>"+strings.ReplaceAll(cell("04.07.2026, 11:12:33 MESZ"), "Prompted&nbsp;", "Eingegebener Prompt:&nbsp;")+"</body></html>")
	if got := r.Conversations[0].Title; got != "At what time?" {
		t.Errorf("on a page: %q", got)
	}
}

// TestOtherProductsAreLeftOut: one file with the activity of all of Google's products holds
// addresses of Gemini and its app in rows that are of others.
func TestOtherProductsAreLeftOut(t *testing.T) {
	const rows = `[
 {"header":"Gemini Apps","title":"Prompted ours","time":"2026-07-04T12:00:00Z","products":["Gemini Apps"],"safeHtmlItem":[{"html":"Yes."}]},
 {"header":"Search","title":"Searched for Gemini","titleUrl":"https://www.google.com/search?q=Gemini","time":"2026-07-04T11:59:00Z","products":["Search"]},
 {"header":"Chrome","title":"Visited Google Gemini","titleUrl":"https://gemini.google.com/app/aaaaaaaa","time":"2026-07-04T11:58:00Z","products":["Chrome"]},
 {"header":"Gemini","title":"Used Gemini","time":"2026-07-04T11:57:00Z","products":["Android"]},
 {"header":"YouTube","title":"Watched Gemini explained","time":"2026-07-04T11:56:00Z","products":["YouTube"]},
 {"header":"Maps","title":"Searched for Bard","time":"2026-07-04T11:55:00Z"},
 {"header":"Assistant","title":"Said what time is it","time":"2026-07-04T11:54:00Z","products":["Assistant"]}]`
	for _, name := range []string{"MyActivity.json", "gemini export/MyActivity.json"} {
		r := inZip(t, name, rows)
		if len(r.Conversations) != 1 || r.Conversations[0].Messages[0].Content.Text != "ours" || r.Skipped["other-product"] != 6 {
			t.Errorf("%s: %d conversations, %v", name, len(r.Conversations), r.Skipped)
		}
	}
	foreign := strings.NewReplacer("Gemini Apps", "Search", "Prompted&nbsp;", "Searched for&nbsp;Gemini, ").Replace(cell("Jul 4, 2026, 9:12:33 AM UTC"))
	foreign = strings.TrimSuffix(foreign, "</div>") + `<div class="content-cell mdl-typography--caption"><b>Products:</b><br>Search<br></div></div>`
	for _, name := range []string{"MyActivity.html", "Gemini/MyActivity.html"} {
		r := inZip(t, name, "<html><body>"+cell("Jul 4, 2026, 9:12:33 AM UTC")+foreign+"</body></html>")
		if len(r.Conversations) != 1 || r.Skipped["other-product"] != 1 {
			t.Errorf("%s: %d conversations, %v", name, len(r.Conversations), r.Skipped)
		}
	}
}

// inZip reads a file of that path.
func inZip(t *testing.T, name, text string) *Recording {
	return Read(t, gemini.Importer{}, Fixture{Files: []gen.File{{Name: "takeout.zip", Data: gen.Zip([]gen.File{{Name: name, Data: []byte(text)}})}}}.Tree(t))
}

// TestInputsNotSent: what was typed in AI Studio and not sent is counted by name and kept
// beside the conversation.
func TestInputsNotSent(t *testing.T) {
	text := `{"chunkedPrompt":{"chunks":[{"text":"a","role":"user"}],"pendingInputs":[{"text":"and the mast?","role":"user"},{"text":"","role":"user"}]},"runSettings":{}}`
	r := Read(t, gemini.Importer{}, Loose("Boat", text).Tree(t))
	if c := r.Conversations[0]; r.Skipped["not-sent"] != 1 || len(c.Messages) != 1 || !strings.Contains(string(c.RawMetadata["pendingInputs"]), "and the mast?") {
		t.Errorf("%v, %v", r.Skipped, c.RawMetadata)
	}
}
