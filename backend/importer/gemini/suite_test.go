package gemini_test

import (
	"testing"

	"keepsake/backend/importer"
	"keepsake/backend/importer/gemini"
	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
)

// TestSuite holds the reader to what all readers promise.
func TestSuite(t *testing.T) { Run(t, gemini.Importer{}, own(), Strangers("gemini")) }

// layouts are the ways in which activity is written.
func layouts() map[string]gen.TakeoutOptions {
	all := map[string]gen.TakeoutOptions{
		"json bare":  {Bare: true},
		"json mixed": {Mixed: true, Gems: true},
		"html mixed": {Layout: "html", Mixed: true},
		"html bare":  {Layout: "html", Bare: true},
		"header":     {Layout: "header"},
	}
	for _, language := range []string{"en", "sv", "uk", "pt", "el"} {
		all["json "+language] = gen.TakeoutOptions{Language: language}
		all["html "+language] = gen.TakeoutOptions{Layout: "html", Language: language}
	}
	return all
}

func own() []Fixture {
	var list []Fixture
	golden := map[string]bool{"json mixed": true, "html en": true, "header": true}
	for _, name := range []string{"json mixed", "json bare", "json sv", "html en", "html mixed", "header"} {
		o := layouts()[name]
		o.Seed, o.Conversations = 3, 3
		files, truth := gen.Takeout(o)
		list = append(list, fixture(name, gen.TakeoutZips(files, 1), truth, golden[name]))
		if name == "html en" {
			f := fixture("html alone", []gen.File{{Name: "MyActivity.html", Data: files[1].Data}}, truth, false)
			list = append(list, f)
		}
	}
	files, truth := gen.Takeout(gen.TakeoutOptions{Seed: 4, Gems: true})
	list = append(list, fixture("parts", gen.TakeoutZips(files, 2), truth, false))
	tgz := fixture("parts as tgz", gen.TakeoutTGZs(files, 2), truth, false)
	tgz.Packed = true
	list = append(list, tgz)
	files, truth = gen.WorkspaceHistory(5)
	list = append(list, fixture("workspace", gen.TakeoutZips(files, 1), truth, true))
	files, truth = gen.AIStudio(6)
	return append(list, fixture("ai studio", gen.TakeoutZips(files, 1), truth, true))
}

func fixture(name string, files []gen.File, truth gen.Truth, golden bool) Fixture {
	return Fixture{Name: name, Files: files, Conversations: len(truth.Conversations), Records: truth.Records, Rows: true, Golden: golden}
}

// TestPlanted holds that exactly what a generator planted is read, in every
// layout and language.
func TestPlanted(t *testing.T) {
	for name, o := range layouts() {
		t.Run(name, func(t *testing.T) {
			o.Seed, o.Conversations = 11, 6
			files, truth := gen.Takeout(o)
			r := Read(t, gemini.Importer{}, Fixture{Files: gen.TakeoutZips(files, 1)}.Tree(t))
			CheckPlanted(t, r, truth)
			checkTimes(t, r)
		})
	}
	for _, made := range []func(uint64) ([]gen.File, gen.Truth){gen.WorkspaceHistory, gen.AIStudio} {
		files, truth := made(9)
		CheckPlanted(t, Read(t, gemini.Importer{}, Fixture{Files: gen.TakeoutZips(files, 1)}.Tree(t)), truth)
	}
}

// checkTimes holds that each time is the one planted: talks begin three hours
// apart from ten in the morning on.
func checkTimes(t *testing.T, r *Recording) {
	t.Helper()
	for _, c := range r.Conversations {
		if at := c.Temporal.CreatedAt; at.IsZero() || (at.Hour()-10+24)%3 != 0 || at.Minute() != 0 || at.Year() != 2026 || at.Month() != 5 {
			t.Errorf("%s began %v", c.Title, at)
		}
	}
}

func read(t *testing.T, name, text string) *Recording {
	t.Helper()
	return Read(t, gemini.Importer{}, Loose(name, text).Tree(t))
}

// FuzzRead holds that no file makes the reader panic, and that what it gives is
// sound.
func FuzzRead(f *testing.F) {
	for _, o := range layouts() {
		o.Conversations = 1
		files, _ := gen.Takeout(o)
		f.Add(files[1].Data)
	}
	for _, seed := range []string{hardRows, hardPage, gemsPage,
		`{"chunkedPrompt":{"chunks":[{"text":"a","role":"user","driveImage":{"id":"i"}},{}]},"runSettings":{}}`,
		`[{"header":"Gemini","titleUrl":"https://gemini.google.com/app/c/a-1","userInteractions":[{"userInteraction":{"request":"[{\"text\":\"a\"}]","response":"[1"}}],"details":[{"name":"Response","value":"b"}]}]`,
		`{"conversation_turns":[{"user_turn":{"prompt":"a"}},{"x":1},{}]}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) { CheckAnyFile(t, gemini.Importer{}, "x.json", text) })
}

// TestStrangersActivity holds that activity without Gemini is called what it is.
func TestStrangersActivity(t *testing.T) {
	tree := Loose("MyActivity.json", `[{"header":"Search","title":"Searched for tea","time":"2026-01-01T10:00:00Z","products":["Search"]}]`).Tree(t)
	m, err := (gemini.Importer{}).Sniff(t.Context(), tree)
	if err != nil || m.Certainty != importer.Possible || m.Advice == nil || m.Advice.Reason != "takeout-without-gemini" {
		t.Errorf("%+v, %v", m, err)
	}
}
